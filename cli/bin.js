#!/usr/bin/env node
// Starts the command line on a Node that reads TypeScript: the running one if it is new enough, otherwise the one that `npm ci`
// installs. Plain JavaScript, so that an old Node can read it.
import { spawn } from 'node:child_process';
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { currentProgram } from './bundled.js';
import { installedNode, isNewEnough, missingNode } from './installed-node.js';

if (isNewEnough()) {
  // Entries are found by content. Without a writable folder, nothing is kept.
  module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)));
  const program = currentProgram();
  await (program === undefined ? import('./main.ts') : import(program));
} else {
  restart();
}

function restart() {
  const node = installedNode();
  if (node === undefined) {
    refuse();
    return;
  }
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  child.on('error', refuse);
  // A terminal sends Ctrl-C to the child as well, and a second SIGINT would end it at once: SIGTERM asks for the same as the first.
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => child.kill('SIGTERM'));
  }
  child.on('exit', (code, signal) => {
    if (signal !== null) {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    }
    process.exitCode = code ?? 1;
  });
}

function refuse() {
  process.stderr.write(missingNode());
  process.exitCode = 2;
}
