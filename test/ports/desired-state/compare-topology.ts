// Compares our desired states with upstream's on generated Clusters:
// `npm run compare-topology -- [Clusters per class] [seed] [class,class]`.
import { groupBy } from '@capi-serverless/apimachinery';
import { findUpstreamWebhooks } from '../../upstream-manager/webhooks.ts';
import { compareDesiredStates } from './compare-desired-states.ts';
import { type DesiredDifference, knownDesiredDifferences } from './desired-differences.ts';
import { readClasses } from './read-classes.ts';

const [count = '1000', seed = '1', names] = process.argv.slice(2);
const wanted = names?.split(',');
const found = findUpstreamWebhooks();
if ('missing' in found) {
  throw new Error(found.missing);
}
const unmet = new Set(knownDesiredDifferences.map(({ what }) => what));
let objects = 0;
for (const of of readClasses().filter(({ name }) => wanted?.includes(name) ?? true)) {
  const options = { program: found.program, count: Number(count), seed };
  const { clusters, refused, known, differences, ...compared } = await compareDesiredStates(of, options);
  objects += compared.objects;
  for (const what of Object.keys(known)) {
    unmet.delete(what);
  }
  console.log(
    `${of.name}: ${clusters} states, ${refused} refused by both, ${compared.objects} objects, ${differences.length} differences, known ${JSON.stringify(known)}`,
  );
  for (const [what, [first, ...others]] of groupBy(differences, summaryOf)) {
    console.log(
      `  ${others.length + 1} × ${what}\n    Cluster ${first?.cluster}: ${shown(first?.theirs)} is ours ${shown(first?.ours)}`,
    );
    process.exitCode = 1;
  }
}
console.log(`${objects} objects`);
if (unmet.size > 0 && wanted === undefined) {
  console.log(`No Cluster showed: ${[...unmet].join('; ')}`);
}

/** The path without names and positions. */
function summaryOf({ path, theirs, ours }: DesiredDifference): string {
  const what = path
    .replaceAll(/^\/machine(Deployment|Pool)\/[^/]+/g, '/machine$1/*')
    .replaceAll(/\/\d+(?=\/|$)/g, '/#');
  return path === 'refused' ? `refused: upstream ${shown(theirs)}, ours ${shown(ours)}` : what;
}

function shown(value: unknown): string {
  return String(JSON.stringify(value)).slice(0, 300);
}
