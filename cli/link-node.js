// Links node_modules/.bin/node to the Node 24 that npm installed beside, so that
// npm scripts run on it. npm does not keep its own link: when it skips the packages for other platforms, it removes their programs
// from node_modules/.bin, and all have the same name. Plain JavaScript, so that an old Node can read it.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedNode, isNewEnough, missingNode } from './installed-node.js';

const folder = fileURLToPath(new URL('../node_modules/.bin', import.meta.url));
const link = path.join(folder, 'node');
const program = installedNode();

if (program !== undefined && runs(program)) {
  mkdirSync(folder, { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(path.relative(folder, program), link);
} else {
  // Without the link, npm scripts run on the Node of the machine.
  rmSync(link, { force: true });
  if (!isNewEnough()) {
    process.stderr.write(missingNode());
  }
}

/** Returns false for example on Linux distributions without glibc. */
function runs(file) {
  return spawnSync(file, ['--version']).status === 0;
}
