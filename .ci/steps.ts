// All steps of `.ci/run`, in lanes. Usage: node .ci/steps.ts FOLDER. No suite runs twice.
import { type LaneStep, runLanes } from '../test/steps/lanes.ts';
import { suite } from '../test/steps/quick.ts';
import { retryFailedFiles } from '../test/steps/retries.ts';

const [results = ''] = process.argv.slice(2);
if (results === '') {
  throw new Error('Usage: node .ci/steps.ts FOLDER');
}

const script = (name: string, ...args: readonly string[]): LaneStep => ({
  name,
  command: ['npm', 'run', '--silent', name, ...args],
});

/** All steps, of which `npm test` runs a part. */
const full = { env: { CAPI_TEST_EXTENT: 'full' } };

/** Built once per machine. On a new machine, this takes as long as the lanes that do not need it. */
const realParts = [
  script('elasticmq'),
  script('lambda-ric'),
  script('cfn-lint'),
  script('iam-engine'),
  script('eks-token'),
  script('kube-apiserver'),
  script('upstream-manager'),
];
const built = realParts.map(({ name }) => name);

const computing = [
  script('lint'),
  script('typecheck'),
  script('generate:check'),
  suite('unit', { command: ['npm', 'run', '--silent', 'test:coverage'] }),
  suite('virtual'),
  suite('simulation'),
  script('test:planted'),
  script('test:fuzz', '--', '--seconds', '60'),
  script('test:mutation'),
];

/**
 * These steps are in one lane, because they write the same files below dist: bundles, the package, the kubeconfig of
 * local runs. Both lanes take about the same time.
 */
const waiting = [
  script('synth', '--', '--quiet'),
  script('supply-chain'),
  suite('infra', full),
  suite('packaging'),
  suite('local-run', full),
  suite('ports'),
  suite('integration', { after: built }),
  suite('take-over'),
  suite('real'),
  suite('parity'),
  suite('kill'),
];

const report = (text: string): void => console.log(text);
const lanes = [realParts, computing, waiting];
await runLanes(lanes, { results, isVerbose: true, report });
await retryFailedFiles(lanes.flat(), { results, report });
