// Loads the extension without Visual Studio Code, with a stub of the module `vscode`: it activates, starts the server, gets the
// findings of a plan, and deactivates. `node test/session.js COMMAND…` says how shardlang is started; `--bundle` takes
// dist/extension.js, with the real client in it; otherwise extension.js, with a client that only speaks to the server.

"use strict";

const assert = require("node:assert");
const { spawn } = require("node:child_process");
const Module = require("node:module");
const path = require("node:path");

const bundled = process.argv[2] === "--bundle";
const command = process.argv.slice(bundled ? 3 : 2);
const PLAN = "mesh X=4\nA[I_X, J_X]\n";
const seen = { registered: [], disposed: 0, errors: [], published: [], exit: undefined };

const settings = {
  get: (name, otherwise) => (name === "path" && command.length > 0 ? command : otherwise),
};

class Disposable {
  static from() {
    return new Disposable();
  }
  dispose() {
    seen.disposed += 1;
  }
}

/** Whatever is not given answers with itself: a class, a function, a table, a disposable. */
function anything(given) {
  const target = function () {};
  return new Proxy(target, {
    get: (_, name) => {
      if (name in given) return given[name];
      if (name === Symbol.toPrimitive || name === "toString") return () => "stub";
      if (name === Symbol.iterator) return [][Symbol.iterator].bind([]);
      if (name === "then") return undefined;
      if (name === "prototype") return target.prototype;
      return anything({});
    },
    apply: () => anything({}),
    construct: () => anything({}),
  });
}

const event = () => () => new Disposable();
class EventEmitter {
  constructor() {
    this.listeners = [];
    this.event = (listener) => {
      this.listeners.push(listener);
      return new Disposable();
    };
  }
  fire(value) {
    this.listeners.forEach((listener) => listener(value));
  }
  dispose() {}
}

const vscode = anything({
  Disposable,
  EventEmitter,
  version: "1.91.0",
  env: { appName: "stub", language: "en" },
  commands: anything({
    registerCommand: (name) => {
      seen.registered.push(name);
      return new Disposable();
    },
  }),
  window: anything({ showErrorMessage: (text) => seen.errors.push(text) }),
  workspace: anything({
    getConfiguration: () => settings,
    workspaceFolders: undefined,
    textDocuments: [],
    onDidChangeConfiguration: event(),
    createFileSystemWatcher: () => anything({}),
  }),
});

/** Speaks just enough of the protocol to open one plan and to end the session. */
class Client {
  constructor(_id, _name, server, options) {
    Object.assign(this, { server, options, number: 0, waiting: new Map(), input: Buffer.alloc(0) });
  }
  async start() {
    const { command: program, args } = this.server;
    this.process = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.exited = new Promise((resolve) => this.process.on("exit", resolve));
    this.process.stdout.on("data", (data) => this.read(data));
    const failed = new Promise((_, reject) => this.process.on("error", reject));
    await Promise.race([failed, this.hello()]);
  }
  async hello() {
    const answer = await this.ask("initialize", { processId: process.pid, rootUri: null, capabilities: {} });
    assert.ok(answer.capabilities.hoverProvider);
    this.tell("initialized", {});
    const found = new Promise((resolve) => (this.published = resolve));
    const textDocument = { uri: "untitled:plan.shard", languageId: "shard", version: 1, text: PLAN };
    this.tell("textDocument/didOpen", { textDocument });
    seen.published = await found;
  }
  async stop() {
    await this.ask("shutdown");
    this.tell("exit");
    seen.exit = await this.exited;
  }
  ask(method, params) {
    this.number += 1;
    this.send({ id: this.number, method, params });
    return new Promise((resolve) => this.waiting.set(this.number, resolve));
  }
  tell(method, params) {
    this.send({ method, params });
  }
  send(message) {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.process.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }
  read(data) {
    this.input = Buffer.concat([this.input, data]);
    for (;;) {
      const head = this.input.indexOf("\r\n\r\n");
      if (head < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(this.input.toString("utf8", 0, head))[1]);
      const end = head + 4 + length;
      if (this.input.length < end) return;
      const message = JSON.parse(this.input.toString("utf8", head + 4, end));
      this.input = this.input.subarray(end);
      if (message.method === "textDocument/publishDiagnostics") this.published(message.params.diagnostics);
      else if (this.waiting.has(message.id)) this.waiting.get(message.id)(message.result);
    }
  }
}

const load = Module._load;
Module._load = (name, ...rest) => {
  if (name === "vscode") return vscode;
  if (name === "vscode-languageclient/node" && !bundled) return { LanguageClient: Client, TransportKind: { stdio: 0 } };
  return load(name, ...rest);
};

async function main() {
  const extension = require(path.join(__dirname, "..", bundled ? "dist/extension.js" : "extension.js"));
  const context = { subscriptions: [] };
  await extension.activate(context);
  assert.deepStrictEqual(seen.errors, []);
  assert.deepStrictEqual(seen.registered.slice(0, 1), ["shardlang.restart"]);
  assert.strictEqual(context.subscriptions.length, 2);
  if (!bundled) {
    assert.deepStrictEqual(
      seen.published.map((finding) => finding.code),
      ["SL201"],
    );
  }
  await extension.deactivate();
  if (!bundled) {
    assert.strictEqual(seen.exit, 0);
  }
  await extension.deactivate(); // once more does nothing
  console.log("ok");
  process.exit(0);
}

main().catch((problem) => {
  console.error(problem);
  process.exit(1);
});
