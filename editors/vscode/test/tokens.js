// Prints what the TextMate grammar makes of each text on standard input (a JSON list), with the engine of the editor itself:
// for each text, for each line, the tokens as [start, end, scope].

"use strict";

const fs = require("node:fs");
const path = require("node:path");
const oniguruma = require("vscode-oniguruma");
const { INITIAL, Registry, parseRawGrammar } = require("vscode-textmate");

const root = path.join(__dirname, "..");
const GRAMMARS = { "source.shard": "shard.tmLanguage.json", "markdown.shard.codeblock": "markdown.tmLanguage.json" };

async function main() {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) => {
      const file = path.join(root, "syntaxes", GRAMMARS[scope]);
      return parseRawGrammar(fs.readFileSync(file, "utf8"), file);
    },
  });
  const grammar = await registry.loadGrammar("source.shard");
  const texts = JSON.parse(fs.readFileSync(0, "utf8"));
  const all = texts.map((text) => {
    let state = INITIAL;
    return text.split("\n").map((line) => {
      const made = grammar.tokenizeLine(line, state);
      state = made.ruleStack;
      return made.tokens.map((token) => [token.startIndex, token.endIndex, token.scopes.at(-1)]);
    });
  });
  process.stdout.write(JSON.stringify(all));
}

main();
