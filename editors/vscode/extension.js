// The client: starts `shardlang lsp` and hands it the settings. Everything else is in the server.

"use strict";

const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

const INSTALL = "pip install 'shardlang[lsp]'";

let client;

/** The words of the setting `path`; the editor itself does not fill in the folder. */
function words(settings) {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  return settings.get("path", ["shardlang"]).map((word) => word.replaceAll("${workspaceFolder}", folder));
}

/** The command that starts the server, as a client wants it. */
function server(settings) {
  const [command, ...before] = words(settings);
  return { command, args: [...before, "lsp"], transport: TransportKind.stdio };
}

/** What the server looks after: plans, and Markdown files unless that is switched off. */
function documents(settings) {
  const plans = [
    { scheme: "file", language: "shard" },
    { scheme: "untitled", language: "shard" },
  ];
  return settings.get("markdown", true) ? [...plans, { scheme: "file", language: "markdown" }] : plans;
}

async function start() {
  const settings = vscode.workspace.getConfiguration("shardlang");
  client = new LanguageClient("shardlang", "shardlang", server(settings), {
    documentSelector: documents(settings),
    synchronize: {
      configurationSection: "shardlang",
      fileEvents: vscode.workspace.createFileSystemWatcher("**/pyproject.toml"),
    },
  });
  try {
    await client.start();
  } catch (problem) {
    client = undefined;
    vscode.window.showErrorMessage(
      `shardlang: \`${words(settings).join(" ")} lsp\` does not start (${problem.message ?? problem}). Install it with ${INSTALL}, ` +
        "or say where it is in the setting shardlang.path.",
    );
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running !== undefined) {
    await running.stop();
  }
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("shardlang.restart", async () => {
      await stop();
      await start();
    }),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("shardlang.path") || event.affectsConfiguration("shardlang.markdown")) {
        await stop();
        await start();
      }
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
