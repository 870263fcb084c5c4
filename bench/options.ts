// The command line of the bench.
import { parseArgs } from 'node:util';
import { UsageError } from '../local/usage-error.ts';

const sectionNames = [
  'plain',
  'machines',
  'rollout',
  'clusters',
  'cold-start',
  'lambda',
  'apiserver',
  'latency',
  'memory',
  'node-watches',
  'topology-patches',
  'commands',
  'units',
  'webhooks',
  'page',
] as const;
export type SectionName = (typeof sectionNames)[number];

export interface Options {
  readonly sections: readonly SectionName[];
  readonly json: boolean;
  readonly quick: boolean;
}

export const help = `Usage: npm run bench -- [SECTION…] [options]

Measures this project against a baseline in the same run and prints both with their ratio. Asserts nothing.

  plain       plain Clusters: this project against upstream's core manager, on a real API server each
  machines    Machines until they are Running: the same subjects
  rollout     a MachineDeployment that replaces its Machines: the same subjects
  clusters    Clusters with a topology beside upstream's kubeadm and development providers: the same subjects
  cold-start  start of a process to the first answer: every function against an empty handler
  lambda      cold and warm invocations of the packaged functions under AWS's runtime client, against an empty handler
  apiserver   start, memory and speed: the embedded API server against a real one
  latency     from a write to the start of its reconcile, against a bare watch, on the embedded API server
  memory      the watch-forwarder's process with many objects, against none
  node-watches  the watch-forwarder's process with watches of many workload clusters, against none
  topology-patches  the patch engine with many patches, against none
  commands    start of short commands: the bundled program against its sources
  units       time and bytes of one unit of work, for every function that tenants can use, against reading a character
  webhooks    decisions of the admission and conversion functions, warm, against upstream's webhooks
  page        the page in a browser with 500 and 100 Clusters, against one Cluster
              (without a section: all of them)

  --quick     a tenth of the work: shows that it runs, its figures mean little
  --json      one JSON document instead of tables; progress goes to standard error either way
  --help      this text
`;

/** Parses the arguments after the script's name. Throws UsageError. Returns 'help' if help is requested. */
export function parseOptions(args: readonly string[]): Options | 'help' {
  const { values, positionals } = parse(args);
  if (values.help === true) {
    return 'help';
  }
  const unknown = positionals.filter(name => !isSection(name));
  if (unknown.length > 0) {
    throw new UsageError(`Unknown section: ${unknown.join(', ')}; use ${sectionNames.join(', ')}`);
  }
  const asked = positionals.filter(isSection);
  return {
    sections: asked.length > 0 ? asked : sectionNames,
    json: values.json ?? false,
    quick: values.quick ?? false,
  };
}

function isSection(name: string): name is SectionName {
  return sectionNames.some(known => known === name);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean' }, quick: { type: 'boolean' }, help: { type: 'boolean' } },
    });
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
