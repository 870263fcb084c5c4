// The folder of the files that a local run writes for other commands: its kubeconfig and its queues.
import path from 'node:path';
import { projectRoot } from '../infra/bundles/bundle.ts';

/** Returns the folder that `CAPI_LOCAL_FOLDER` names, or else `dist`. Runs with separate folders do not affect each other. */
export function toRunFolder(env: Readonly<Record<string, string | undefined>>): string {
  const named = env['CAPI_LOCAL_FOLDER'];
  return named === undefined || named === '' ? path.join(projectRoot, 'dist') : path.resolve(named);
}

export const runFolder = toRunFolder(process.env);

/** The files in the folder of a run. */
export const toRunFiles = (folder: string) => ({
  folder,
  /** The path of the kubeconfig for users. */
  kubeconfig: path.join(folder, 'kubeconfig'),
  /** The path of the file with the queues of the run. */
  queues: path.join(folder, 'queues.json'),
});
