// All workloads: each export of a file in the folder of a reconciler. Runs depend on the name of a workload, not on its
// position in these lists.
import { globSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Workload } from './workload.ts';

const all: readonly Workload[] = (await Promise.all(globSync('*/*.ts', { cwd: import.meta.dirname }).map(read)))
  .flat()
  .toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** Each export is a workload. Throws for any other one. */
async function read(file: string): Promise<readonly Workload[]> {
  const module: Readonly<Record<string, Workload>> = await import(
    pathToFileURL(path.join(import.meta.dirname, file)).href
  );
  for (const [name, { script }] of Object.entries(module)) {
    if (typeof script !== 'function') {
      throw new TypeError(`${file} exports ${name}, which is no workload. Move it out of the folders of workloads`);
    }
  }
  return Object.values(module);
}

/** The workloads of campaigns without managed topologies. */
export const workloads = all.filter(({ managed, notInCampaigns }) => !managed && notInCampaigns === undefined);

/** The workloads of campaigns with managed topologies. */
export const managedWorkloads = all.filter(({ managed, notInCampaigns }) => managed && notInCampaigns === undefined);

/** Throws if there is not exactly one workload with this name. */
export function workloadNamed(name: string): Workload {
  const [found, ...others] = all.filter(workload => workload.name === name);
  if (found === undefined || others.length > 0) {
    const names = all.map(each => each.name).join(', ');
    throw new RangeError(
      `There ${found === undefined ? 'is no' : 'are several'} workload "${name}"; there are ${names}`,
    );
  }
  return found;
}
