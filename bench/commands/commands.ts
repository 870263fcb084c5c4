// Section `commands`: processor time of short commands, from the bundled program and from the sources.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { connect } from '../../local/connect.ts';
import { requireCrds } from '../../local/crds.ts';
import { startEmbedded } from '../../local/embedded.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import { accepted } from '../../test/support/accepted.ts';
import { median, type Row, type Say, type Section } from '../section.ts';

/** The executable starts the bundled program, if it is current. The other subject removes types at each start. */
const programs = ['cli/bin.js', 'cli/main.ts'] as const;

/** Writes the processor time as the last line of the standard error. */
const reporting = `data:text/javascript,process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  process.stderr.write(\`\\n\${(user + system) / 1000}\`);
})`;

export async function measureCommands({ runs, say }: { readonly runs: number; readonly say: Say }): Promise<Section> {
  const folder = await mkdtemp(path.join(tmpdir(), 'capi-commands-'));
  const embedded = await startEmbedded({
    port: 0,
    kubeconfigPath: path.join(folder, 'kubeconfig'),
    dataFile: undefined,
  });
  try {
    const { kubernetes, close } = await connect(embedded.kubeconfigPath);
    await requireCrds(kubernetes, coreCrds, { clock: systemClock });
    const metadata = { namespace: 'default', name: 'c1' };
    const spec = { clusterNetwork: { serviceDomain: 'cluster.local' } };
    accepted(await kubernetes.create({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', metadata, spec }));
    await close();
    const commands: readonly (readonly string[])[] = [
      ['--help'],
      ['check', 'examples/topology/cluster-class.yaml'],
      ['why', 'cluster', 'default/c1', '--kubeconfig', embedded.kubeconfigPath],
    ];
    const rows: Row[] = [];
    for (const args of commands) {
      say(`commands: ${args.slice(0, 2).join(' ')}`);
      const values = await Promise.all(programs.map(program => measure(program, args, runs)));
      rows.push({ figure: `processor time of ${args[0]}`, unit: 'ms', values });
    }
    return {
      name: 'commands',
      title: 'Start of a command',
      subjects: ['capi-serverless', 'its sources'],
      rows,
      skipped: [],
    };
  } finally {
    await embedded.stop();
    await rm(folder, { recursive: true });
  }
}

/** The median in ms. The first run fills the compile cache and does not count. */
async function measure(program: string, args: readonly string[], runs: number): Promise<number | null> {
  const values: number[] = [];
  for (let run = 0; run <= runs; run += 1) {
    const child = spawn(process.execPath, ['--import', reporting, program, ...args], {
      cwd: projectRoot,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [, errors] = await Promise.all([once(child, 'close'), text(child.stderr)]);
    values.push(Number(errors.slice(errors.lastIndexOf('\n') + 1)));
  }
  return median(values.slice(1));
}
