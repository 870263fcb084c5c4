// The packed package in a project of a stranger's, as npm would install it; what it depends on is linked: nothing is fetched.
import { execFile } from 'node:child_process';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../infra/bundles/bundle.ts';

const run = promisify(execFile);
export const installedModules = path.join(projectRoot, 'node_modules');

/** Answers with the package's folder. */
export async function installPackage(tarball: string, project: string): Promise<string> {
  const installed = path.join(project, 'node_modules/capi-serverless');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  for (const name of (await readdir(installedModules)).filter(
    one => !one.startsWith('.') && one !== 'capi-serverless',
  )) {
    await symlink(path.join(installedModules, name), path.join(project, 'node_modules', name));
  }
  return installed;
}
