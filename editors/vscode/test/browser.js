// Loads the packed extension into Visual Studio Code itself, as code-server has it, and drives it in a browser: a plan is opened, has
// its finding, its inlay hint and its colours; an edit after an emoji takes the finding away. By hand, as it needs programs that
// are not among the dependencies: see "Check it in the editor" in README.md.
//
//     node test/browser.js CODE-SERVER CHROMIUM SHARDLANG…

"use strict";

const assert = require("node:assert");
const { execFileSync, spawn } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { chromium } = require("playwright-core");

const [codeServer, browserPath, ...shardlang] = process.argv.slice(2);
const PORT = 18765;
const PLAN = "mesh X=4  # 😀 →\nA[I_X, J_X]  # 😀\nB[I, J_X] · C[J_X, K]\n";

async function until(what, holds) {
  for (let tries = 0; tries < 120; tries += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error(`a minute has passed without ${what}`);
}

async function play(page, folder) {
  const opened = JSON.stringify([["openFile", `vscode-remote://127.0.0.1:${PORT}${folder}/plan.shard`]]);
  await page.goto(`http://127.0.0.1:${PORT}/?folder=${folder}&payload=${encodeURIComponent(opened)}`);
  const findings = page.locator(".squiggly-error");
  const text = async () => (await page.locator(".view-lines").innerText()).replaceAll("\u00a0", " ");
  await until("a finding", async () => (await findings.count()) === 1);
  await until("the inferred output", async () => (await text()).includes("-> D[I, K]{U_X}"));
  const axis = page.locator(".view-line").nth(1).locator("span span", { hasText: /^X$/ }).first();
  const array = page.locator(".view-line").nth(1).locator("span span", { hasText: /^A$/ }).first();
  const colour = (word) => word.evaluate((element) => getComputedStyle(element).color);
  await until("colours by meaning", async () => (await colour(axis)) !== (await colour(array)));
  await page.keyboard.press("Control+g");
  await page.keyboard.type("2:11"); // behind the second `_X`
  await page.keyboard.press("Enter");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  await until("the finding gone", async () => (await findings.count()) === 0);
  assert.ok((await text()).includes("A[I_X, J]"));
  await page.keyboard.press("Control+End");
  await page.keyboard.type("# 🚀 →\nQ[I_X, I2_X]");
  await until("a finding after what was typed", async () => (await findings.count()) === 1);
}

async function main() {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "shardlang-code-"));
  const folder = path.join(home, "plans");
  const user = path.join(home, "user");
  fs.mkdirSync(folder);
  fs.mkdirSync(path.join(user, "User"), { recursive: true });
  fs.writeFileSync(path.join(folder, "plan.shard"), PLAN);
  const settings = { "shardlang.path": shardlang, "security.workspace.trust.enabled": false, "files.autoSave": "off" };
  fs.writeFileSync(path.join(user, "User", "settings.json"), JSON.stringify(settings));
  const places = ["--user-data-dir", user, "--extensions-dir", path.join(home, "extensions"), "--config", path.join(home, "config.yaml")];
  const packed = path.join(__dirname, "..", "dist", "shardlang.vsix");
  execFileSync(codeServer, [...places, "--install-extension", packed], { stdio: "inherit" });
  const serving = ["--auth", "none", "--bind-addr", `127.0.0.1:${PORT}`, "--disable-telemetry", "--disable-update-check"];
  const server = spawn(codeServer, [...places, ...serving, folder], { stdio: "ignore" });
  const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
  try {
    await until("an answer of code-server", () => fetch(`http://127.0.0.1:${PORT}/healthz`).then(() => true, () => false));
    await play(await browser.newPage({ viewport: { width: 1200, height: 800 } }), folder);
    console.log("ok");
  } finally {
    await browser.close();
    server.kill();
    fs.rmSync(home, { recursive: true, force: true });
  }
}

main().catch((problem) => {
  console.error(problem);
  process.exit(1);
});
