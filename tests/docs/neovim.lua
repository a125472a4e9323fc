-- Opens plan.shard, tells its findings and hints, mends it, and leaves when the finding is gone.
local function wait(what, holds)
  if not vim.wait(60000, holds, 50) then
    io.stderr:write("no " .. what .. " within 60 s\n")
    vim.cmd("cquit 1")
  end
end

vim.cmd.edit("plan.shard")
wait("findings", function() return #vim.diagnostic.get(0) > 0 end)
for _, found in ipairs(vim.diagnostic.get(0)) do
  io.write(("%d %d %d %s\n"):format(found.lnum, found.col, found.end_col, found.code))
end
wait("hints", function() return #vim.lsp.inlay_hint.get({ bufnr = 0 }) > 0 end)
for _, hint in ipairs(vim.lsp.inlay_hint.get({ bufnr = 0 })) do
  io.write(hint.inlay_hint.label .. "\n")
end
vim.api.nvim_buf_set_text(0, 1, 12, 1, 14, { "" })
io.write(vim.api.nvim_buf_get_lines(0, 1, 2, false)[1] .. "\n")
wait("findings of the mended text", function() return #vim.diagnostic.get(0) == 0 end)
io.write(vim.inspect(vim.lsp.get_clients()[1].settings.shardlang.hardware) .. "\n")
vim.cmd("qa!")
