// Every command of every page runs here as typed, one after the other, or is listed with the test that runs it.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { runFolder } from '../../local/run-folder.ts';
import { kubectlProblem } from '../ports/apiserver/kubectl.ts';
import { declareMissing } from '../support/describe-part.ts';
import { type LocalRun, startLocalRun } from '../support/local-run.ts';
import { commandsOf, pagesForUsers } from '../support/page-commands.ts';
import { describeRotation, itemsOf, rotationOf } from '../support/rotation.ts';

/** The pages whose commands follow `npm start`, in this order. */
const pages = [
  'README.md',
  'docs/local-run.md',
  'docs/simulated-provider.md',
  'docs/operating.md',
  'docs/costs.md',
  'examples/topology/README.md',
];
const [firstPage = '', ...furtherPages] = pages;
const rotation = rotationOf(4);

/** The Clusters that `npm start` makes. */
const exampleClusters = ['plain', 'legacy', 'managed', 'workers'];

/** What the README deletes is there again before another page, and what it begins has ended. */
const again = [
  'kubectl apply -f examples/plain-cluster.yaml',
  'kubectl wait cluster plain --for=condition=Available --timeout=15m',
  // The upgrade of the README, which replaces Machines, ends before another page uses them.
  'kubectl wait cluster managed --for=condition=TopologyReconciled --timeout=15m',
];

/** Commands that do not run here, and where they run. */
const elsewhere: readonly (readonly [RegExp, string])[] = [
  [/^npm (ci|install)\b/, 'every clean clone'],
  [/^npm start$/, 'test/packaging/package.test.ts'],
  [/^npm (test|run (test|simulate|typecheck|conformance|synth|build|deploy|image|verify:aws)\b)/, '.ci/run'],
  [/\b(cdk|vitest) /, '.ci/run'],
  [/\baws /, 'an account of AWS'],
  [/^export CAPI_QUEUE_URLS=|^export NAME=|^for id in|^kubectl get --raw/, 'an account of AWS'],
  [/capi-mgmt|deployments\.json/, 'test/infra'],
  [
    /^kubectl apply -k infra|^kubectl apply -f (examples\/first-cluster|dist\/rbac|crds\.yaml|examples\/cluster)/,
    'test/integration/management-cluster.test.ts and test/integration/admission-policies.test.ts',
  ],
  [/^kubectl delete -k infra\/kubernetes\/policies/, 'test/integration/admission-policies.test.ts'],
  [/^kubectl delete clusterrole|-n capi-serverless|localhost:8080|NAMESPACE\/NAME|cluster NAME\b/, 'a deployment'],
  [/^npx capi-serverless (new-provider|start|check-contract)\b|rack/, 'test/packaging and test/integration'],
  [/^(node_modules\/\.bin\/)?node\b|^cd /, 'test/packaging and test/integration/extension.test.ts'],
  [/^kubectl apply -f extension\.yaml|why extensionconfig example/, 'test/integration/extension.test.ts'],
  [/capi-serverless ui\b|start -- --ui/, 'test/integration/page.test.ts'],
  [/ReconcileExhausted/, 'test/integration/memory-cell.test.ts'],
  [/\bplan .*--files|there\.yaml/, 'test/integration/plan-over-server.test.ts and test/unit/cli/plan'],
  [/capi-serverless install|^clusterctl /, 'test/integration/install.test.ts and clusterctl-init.test.ts'],
  [/capi-serverless webhooks|webhookconfiguration/, 'test/ports/admission and test/ports/conversion'],
  [/^kubectl get crd -l cluster\.x-k8s\.io/, 'test/ports/conversion/server.real.test.ts'],
  [/capi-serverless kubeconfig --kubeconfig/, 'test/integration/management-cluster.test.ts'],
];

/** What a command prints. Commands without a line here need only end well. */
const prints: readonly (readonly [RegExp, RegExp])[] = [
  [/^kubectl get clusters$/, /^plain .*Provisioned/m],
  [/^kubectl describe cluster plain/, /Kind: +Cluster/],
  [/get nodes/, /^(node\/)?\S+ +Ready/m],
  [/why default\/plain$/, /Cluster default\/plain waits for/],
  [/why clusterclass/, /ClusterClass default\/quick waits for nothing/],
  [/why machine\//, /Machine default\/\S+ waits for/],
  [/capi-serverless queues/, /cluster/],
  [/jsonpath=.*Deleting.*message/, /disruption budget|cannot be evicted/i],
  [/capi-serverless cost/, /USD/],
];

/** `why` ends with 1 while something waits. */
const mayEndWith1 = /capi-serverless why\b/;

const runsHere = (command: string): boolean => !elsewhere.some(([pattern]) => pattern.test(command));

const withoutComment = (command: string): string => command.replace(/\s+#.*/s, '');

it('has every command of every page here, or the place where it runs', () => {
  const held = new Set(pages.flatMap(commandsOf).map(({ command }) => withoutComment(command)));
  const others = pagesForUsers().filter(page => !pages.includes(page));
  const unheld = others
    .flatMap(commandsOf)
    .filter(({ command }) => runsHere(command) && !held.has(withoutComment(command)));
  expect(unheld).toEqual([]);
});

interface Ended {
  readonly command: string;
  readonly code: number;
  readonly output: string;
}

const separator = '@@ended';

/** For all commands of a page. What runs longer is named. */
const longestMs = 1_200_000;

/** Runs the commands in one shell. The folder of the run replaces `dist`. Nothing else is changed. */
function typed(commands: readonly string[]): Promise<readonly Ended[]> {
  const script = commands.map(command => `${command.replaceAll('dist/', `${runFolder}/`)}\necho "${separator} $?"\n`);
  const PATH = [path.join(projectRoot, 'node_modules/.bin'), process.env['PATH']].join(path.delimiter);
  const child = spawn('bash', ['-s'], { cwd: projectRoot, env: { ...process.env, PATH }, stdio: 'pipe' });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const limit = setTimeout(() => child.kill(), longestMs);
  child.stdin.end(`exec 2>&1\n${script.join('')}`);
  return new Promise(resolve => {
    child.once('close', () => {
      clearTimeout(limit);
      const parts = output.split(new RegExp(`${separator} (\\d+)\\n`));
      resolve(
        commands.map((command, at) => ({
          command,
          output: parts[2 * at] ?? '',
          code: Number(parts[2 * at + 1] ?? Number.NaN),
        })),
      );
    });
  });
}

function problemOf({ command, code, output }: Ended): string | undefined {
  const endsWell = code === 0 || (code === 1 && mayEndWith1.test(command));
  const wanted = prints.find(([pattern]) => pattern.test(command))?.[1];
  return endsWell && (wanted?.test(output) ?? true)
    ? undefined
    : `${command}\nends with ${code}: ${output.slice(0, 600)}`;
}

function holdPages(): void {
  let run: LocalRun;

  beforeAll(async () => {
    mkdirSync(runFolder, { recursive: true });
    run = startLocalRun({ args: ['--json', '--port', '0'] });
    await run.line(({ event }) => event === 'started');
    // The examples are applied one after the other, which takes seconds on a busy machine.
    for (const name of exampleClusters) {
      await run.line(line => line.event === 'cluster' && line['cluster'] === `default/${name}`);
    }
  });

  afterAll(async () => {
    run.interrupt();
    await run.ended;
  });

  it.each([firstPage, ...itemsOf(furtherPages, rotation)])(
    '%s: every command does what it says',
    async page => {
      const commands = commandsOf(page)
        .map(({ command }) => command)
        .filter(runsHere);
      expect(commands.length).toBeGreaterThan(0);
      const first = [`export KUBECONFIG=dist/kubeconfig`, ...(page === firstPage ? [] : again)];
      const ended = await typed([...first, ...commands]);
      // As one text, whose first line the report of a failure shows.
      expect(ended.flatMap(each => problemOf(each) ?? []).join('\n')).toBe('');
    },
    longestMs + 100_000,
  );
}

const suite = describeRotation('the commands of the pages', rotation);
const problem = kubectlProblem();
if (problem === undefined) {
  describe(suite, holdPages);
} else {
  declareMissing(suite, problem);
}
