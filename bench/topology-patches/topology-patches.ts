// Section `topology-patches`: the patch engine on a very large topology, compared with the same topology without patches.
import { fileURLToPath } from 'node:url';
import { measureInChild } from '../measuring-child.ts';
import type { Say, Section } from '../section.ts';

interface PatchSizes {
  readonly machineDeployments: number;
  readonly patches: number;
}

export const fullPatches: PatchSizes = { machineDeployments: 200, patches: 300 };
export const quickPatches: PatchSizes = { machineDeployments: 20, patches: 30 };

/** The output of a child process. */
export interface PatchFigures {
  readonly elapsedMs: number;
  readonly cpuMs: number;
  readonly peakMiB: number;
  readonly parsed: number;
  readonly rendered: number;
}

/** Each run has a separate process, so that its memory can be measured. */
export async function measurePatches({
  sizes,
  say,
}: {
  readonly sizes: PatchSizes;
  readonly say: Say;
}): Promise<Section> {
  const { machineDeployments, patches } = sizes;
  say(`topology-patches: ${patches} patches of ${machineDeployments} MachineDeployments with a class each`);
  const ours = await measureChild(sizes);
  const none = await measureChild({ ...sizes, patches: 0 });
  const values = (of: (figures: PatchFigures) => number) => [of(ours), of(none)];
  return {
    name: 'topology-patches',
    title: 'Patching a large topology',
    subjects: [`${patches} patches, ${machineDeployments} MachineDeployments`, 'no patches'],
    rows: [
      { figure: 'generate, apply and write back', unit: 's', values: values(({ elapsedMs }) => elapsedMs / 1000) },
      { figure: 'processor time of that', unit: 's', values: values(({ cpuMs }) => cpuMs / 1000) },
      { figure: 'resident, peak', unit: 'MiB', values: values(({ peakMiB }) => peakMiB) },
      { figure: 'templates parsed', unit: 'count', values: values(({ parsed }) => parsed) },
      { figure: 'templates rendered', unit: 'count', values: values(({ rendered }) => rendered) },
    ],
    skipped: [],
  };
}

function measureChild({ machineDeployments, patches }: PatchSizes): Promise<PatchFigures> {
  const program = fileURLToPath(import.meta.resolve('./child.ts'));
  return measureInChild({ program, args: [machineDeployments, patches] });
}
