// The command line of `capi-serverless cost`.

import { type FeatureGates, parseFeatureGates } from '@capi-serverless/cluster-api/feature-gates';
import { UsageError } from '../../local/usage-error.ts';
import { layouts, type WorkQueueLayout } from '../../shared/workqueue/queue-specs.ts';
import { type OptionDefinitions, parseArguments } from '../arguments.ts';
import { parseLayoutOption } from '../layout-option.ts';
import type { CostInput } from './estimate.ts';

export const costHelp = `Usage: capi-serverless cost [options]

Estimates what a deployment costs on AWS in a month of 30 days, item by item, idle and busy, beside an always-on manager.
Prices stand in infra/prices.ts, formulas in cli/cost/items.ts. Free tiers are left aside.

  --clusters N         Clusters in the management cluster (10)
  --changes-per-day M  changes that concern a Cluster, of all Clusters together (50)
  --lean               the lowest price: the windowed forwarder, a resync every hour, one work queue for all reconcilers,
                       alarms for errors only, and no maximum concurrency of the timer and resync functions
  --windowed           the windowed forwarder instead of the watch-forwarder
  --eks                the management cluster is an EKS cluster, which needs no secret; the deployment of the README is
                       --windowed --eks
  --layout LAYOUT      per-kind: a queue and a function for each reconciler (the default); compact: one of each for all
                       (always with --lean)
  --feature-gates TEXT as CAPI_FEATURE_GATES: which reconcilers are deployed (those of Cluster API's own defaults)
  --deployments FILE   the deployments of this file, each as npm run synth would create it: its queues, secrets, alarms and
                       dashboards are counted in its template
  --json               one JSON document instead of text
  --help               this text

Exit codes: 0 shown, 2 could not start, 3 an error of this program.
`;

interface CostOptions extends CostInput {
  readonly gates: FeatureGates;
  /** The path of a file with deployments. Without it, a profile is estimated. */
  readonly deployments: string | undefined;
  readonly json: boolean;
}

const most = { clusters: 100_000, changesPerDay: 10_000_000 } as const;

export const costOptions = {
  clusters: { type: 'string', default: '10' },
  'changes-per-day': { type: 'string', default: '50' },
  lean: { type: 'boolean', default: false },
  windowed: { type: 'boolean', default: false },
  eks: { type: 'boolean', default: false },
  layout: { type: 'string', values: layouts },
  'feature-gates': { type: 'string', default: '' },
  deployments: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean' },
} as const satisfies OptionDefinitions;

/** Parses the arguments after the command's name. Throws UsageError. Returns 'help' if help is requested. */
export function parseCostOptions(args: readonly string[]): CostOptions | 'help' {
  const { values } = parseArguments({
    args: [...args],
    options: costOptions,
  });
  if (values.help === true) {
    return 'help';
  }
  refuseProfile(values);
  const gates = parseFeatureGates(values['feature-gates']);
  if (!gates.ok) {
    throw new UsageError(`--feature-gates: ${gates.error}`);
  }
  return {
    gates: gates.value,
    clusters: parseCount('--clusters', values.clusters, most.clusters),
    changesPerDay: parseCount('--changes-per-day', values['changes-per-day'], most.changesPerDay),
    lean: values.lean,
    windowed: values.windowed,
    eks: values.eks,
    layout: values.layout === undefined ? undefined : parseLayout(values.layout, values.lean),
    deployments: values.deployments,
    json: values.json,
  };
}

/** A file of deployments says all that these options say. */
function refuseProfile(values: {
  readonly deployments?: string | undefined;
  readonly lean: boolean;
  readonly windowed: boolean;
  readonly eks: boolean;
  readonly layout?: string | undefined;
  readonly 'feature-gates': string;
}): void {
  const given = (['lean', 'windowed', 'eks', 'layout', 'feature-gates'] as const).find(name => Boolean(values[name]));
  if (values.deployments !== undefined && given !== undefined) {
    throw new UsageError(`--deployments cannot go with --${given}: the file says it`);
  }
}

function parseLayout(text: string, lean: boolean): WorkQueueLayout {
  const layout = parseLayoutOption(text);
  if (lean && layout !== 'compact') {
    throw new UsageError(`--lean has the layout compact, so it cannot go with --layout ${layout}`);
  }
  return layout;
}

function parseCount(option: string, text: string, largest: number): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(count) || count > largest) {
    throw new UsageError(`${option} "${text}" is not a whole number from 0 to ${largest}`);
  }
  return count;
}
