// The packed package, installed in another project. Its dependencies are linked, so that nothing is downloaded.
import { execFile } from 'node:child_process';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../infra/bundles/bundle.ts';

const run = promisify(execFile);
export const installedModules = path.join(projectRoot, 'node_modules');

/** Returns the package's folder. */
export async function installPackage(tarball: string, project: string): Promise<string> {
  const installed = path.join(project, 'node_modules/capi-serverless');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  const ours = new Set(['capi-serverless', '@capi-serverless']);
  for (const name of (await readdir(installedModules)).filter(one => !one.startsWith('.') && !ours.has(one))) {
    await symlink(path.join(installedModules, name), path.join(project, 'node_modules', name));
  }
  return installed;
}
