// The folder of the files that a local run writes for other commands: its kubeconfig and its queues.
import path from 'node:path';
import { projectRoot } from '../infra/bundles/bundle.ts';

/** Returns the folder that `CAPI_LOCAL_FOLDER` names, or else `dist`. Runs with separate folders do not affect each other. */
export function toRunFolder(env: Readonly<Record<string, string | undefined>>): string {
  const named = env['CAPI_LOCAL_FOLDER'];
  return named === undefined || named === '' ? path.join(projectRoot, 'dist') : path.resolve(named);
}

export const runFolder = toRunFolder(process.env);
