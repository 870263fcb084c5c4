// The figures, lists and tables of pages that follow from the code. `npm run generate` writes them into the pages.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { defaultFeatureGates, ofGates } from '@capi-serverless/cluster-api/feature-gates';
import { type CostInput, type Estimate, toEstimate } from '../cli/cost/estimate.ts';
import { toUsd } from '../cli/cost/print.ts';
import { toShape } from '../cli/cost/shape.ts';
import { declarations } from '../functions/declarations.ts';
import type { Output } from '../infra/kubernetes/outputs.ts';
import { usdOf } from '../infra/prices.ts';
import { type Passage, withFigures } from './passages.ts';
import { settings } from './settings.ts';

const costs = 'docs/costs.md';
const readme = 'README.md';

const byDefault = ofGates(declarations, defaultFeatureGates);
const [defaultShape, wholeShape] = [toShape(byDefault), toShape(declarations)];

function estimate(flags: Partial<CostInput>, shape = defaultShape): Estimate {
  return toEstimate({ clusters: 10, changesPerDay: 50, lean: false, ...flags }, shape);
}

/** The deployment of the README. */
const ofReadme = { windowed: true, eks: true };

const [usual, onEks, lean] = [estimate({}), estimate(ofReadme), estimate({ lean: true })];
const compact = { ...ofReadme, layout: 'compact' } as const;

const count = (value: number): string => Math.round(value).toLocaleString('en-US');

/** Returns the largest number of Clusters with an idle cost below the limit, in steps of ten. */
function clustersBelow(usd: number, flags: Partial<CostInput>, shape = defaultShape): string {
  let clusters = 10;
  while (estimate({ ...flags, clusters: clusters + 10, changesPerDay: 0 }, shape).total.idle < usd) {
    clusters += 10;
  }
  return count(clusters);
}

const costTable = [
  '| USD a month | default, idle | busy | README on EKS, idle | busy | lean, idle | busy |',
  '|---|---:|---:|---:|---:|---:|---:|',
  ...usual.rows.map(({ name }) => toLine(name, ({ rows }) => rows.find(row => row.name === name))),
  toLine('**sum**', ({ total }) => total),
].join('\n');

interface Amounts {
  readonly idle: number;
  readonly busy: number;
}

function toLine(name: string, amountsOf: (estimate: Estimate) => Amounts | undefined): string {
  const cells = [usual, onEks, lean].flatMap(column => {
    const { idle, busy } = amountsOf(column) ?? { idle: 0, busy: 0 };
    return [toUsd(idle), toUsd(busy)];
  });
  return `| ${name} | ${cells.join(' | ')} |`;
}

const settingsTable = [
  '| variable | meaning | default |',
  '|---|---|---|',
  ...settings.map(
    ({ name, meaning, default: value }) => `| \`${name}\` | ${meaning} | ${value === '' ? '' : `\`${value}\` `}|`,
  ),
].join('\n');

/** Returns the kinds as a phrase: `Clusters, MachineSets and Machines`. */
function toPhrase(kinds: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(kinds.map(kind => (kind.endsWith('s') ? `${kind}es` : `${kind}s`)));
}

function toCostPassages(): readonly Passage[] {
  const idleOf = (flags: Partial<CostInput>): string => toUsd(estimate(flags, wholeShape).total.idle);
  const thousand = estimate({ clusters: 1000, changesPerDay: 0, lean: true }, wholeShape);
  const partOf = (name: RegExp): string =>
    toUsd(thousand.rows.filter(row => name.test(row.name)).reduce((sum, { idle }) => sum + idle, 0));
  const { resync } = usual;
  const { listedGb } = estimate({ clusters: 1000, changesPerDay: 0 }, wholeShape).resync;
  return [
    { page: costs, text: '<!-- cost: generated -->\n{}\n<!-- end of cost -->', figures: [costTable] },
    {
      page: costs,
      text: 'so the reconcilers of {}.\n',
      figures: [toPhrase(byDefault.map(({ primary }) => primary.kind))],
    },
    {
      page: costs,
      text: 'Lean stays below 2 USD up to {} Clusters with topology, and on EKS up to {} where',
      figures: [clustersBelow(2, { lean: true }, wholeShape), clustersBelow(2, { lean: true, eks: true }, wholeShape)],
    },
    {
      page: costs,
      text: '1,000 cost {}: {} for the resync, {} for the pollers of queues, {} for the secret',
      figures: [toUsd(thousand.total.idle), toUsd(thousand.resync.usd), partOf(/empty receives/), partOf(/secret$/)],
    },
    {
      page: costs,
      text: 'For 1,000 Clusters that is {} GB a month, {}.\n',
      figures: [listedGb.toFixed(0), toUsd(listedGb * usdOf.natGatewayGb)],
    },
    {
      page: costs,
      text: 'the sum is {} by default, {} for the deployment of the README and {} lean. On EKS, lean is {}.\n',
      figures: [idleOf({}), idleOf(ofReadme), idleOf({ lean: true }), idleOf({ lean: true, eks: true })],
    },
    {
      page: costs,
      text: 'With `layout: compact`, the default is {} and the deployment of the README {}, with all feature gates {} and {}.\n',
      figures: [
        toUsd(estimate({ layout: 'compact' }).total.idle),
        toUsd(estimate(compact).total.idle),
        idleOf({ layout: 'compact' }),
        idleOf(compact),
      ],
    },
    { page: costs, text: 'above {} Clusters the default passes 10 USD', figures: [clustersBelow(10, {})] },
    {
      page: costs,
      text: "is {} of the default's idle sum ({} lean): {} invocations and {} requests to API servers",
      figures: [toUsd(resync.usd), toUsd(lean.resync.usd), count(resync.invocations), count(resync.apiRequests)],
    },
  ];
}

/** What the sum leaves out. */
function toExtraCostPassages(): readonly Passage[] {
  const extraOf = ({ extras }: Estimate, name: string): string =>
    toUsd(extras.find(extra => extra.name === name)?.usd ?? 0);
  return [
    { page: costs, text: 'VPC interface endpoints, {}:', figures: [extraOf(usual, 'VPC interface endpoints')] },
    {
      page: costs,
      text: 'A NAT gateway, {} per zone and month, with the data of one:',
      figures: [extraOf(usual, 'NAT gateway')],
    },
    {
      page: costs,
      text: 'The [admission webhooks](admission.md#cost), {}: a secret',
      figures: [extraOf(usual, 'Admission webhooks')],
    },
    {
      page: costs,
      text: 'the {} requests of the default are {}, and with the windowed forwarder {}:',
      figures: [
        count(usual.resync.apiRequests),
        extraOf(usual, 'Audit log of EKS'),
        extraOf(estimate({ lean: true, eks: true }), 'Audit log of EKS'),
      ],
    },
  ];
}

function toReadmePassages(): readonly Passage[] {
  const furtherThousand = estimate({ clusters: 1010 }).total.busy - usual.total.busy;
  const leanIdle = estimate({ lean: true }, wholeShape).total.idle;
  return [
    {
      page: readme,
      text: 'AWS costs about {} USD a month by default, {} as deployed above, {} with `layout: "compact"` besides, or {} with the lean options. Idle with all feature gates, lean is {}.\n',
      figures: [...[usual, onEks, estimate(compact), lean].map(({ total }) => toUsd(total.busy)), toUsd(leanIdle)],
    },
    {
      page: readme,
      text: 'each add {} USD, which is the resync. An always-on manager on a t4g.micro of its own costs {}, and {} by its share',
      figures: [toUsd(furtherThousand), toUsd(usual.manager.ownNodeUsd), toUsd(usual.manager.shareUsd)],
    },
  ];
}

const passages: readonly Passage[] = [
  ...toCostPassages(),
  ...toExtraCostPassages(),
  ...toReadmePassages(),
  {
    page: 'docs/settings.md',
    text: '<!-- settings: generated -->\n{}\n<!-- end of settings -->',
    figures: [settingsTable],
  },
];

/** The pages with their current texts and these figures, relative to the project. Throws if a passage is not found. */
export function generatedPages(root: string): readonly Output[] {
  return [...Map.groupBy(passages, ({ page }) => page)].map(([page, ofPage]) => ({
    path: page,
    text: ofPage.reduce(withFigures, readFileSync(path.join(root, page), 'utf8')),
  }));
}
