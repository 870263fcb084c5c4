// Prints an estimate as a table.

import { source } from '../../infra/prices.ts';
import type { Estimate } from './estimate.ts';

function toTitle({ name, forwarder, windowed, apiServer, layout, resyncMinutes }: Estimate['profile']): string {
  const forwarders = [...(forwarder ? ['watch-forwarder'] : []), ...(windowed ? ['windowed forwarder'] : [])];
  return [
    `${name}: ${forwarders.length === 0 ? 'no forwarder' : forwarders.join(' and ')}`,
    `resync every ${resyncMinutes} min`,
    layout === 'compact' ? 'one work queue' : 'a work queue for each reconciler',
    ...(apiServer === 'eks' ? ['EKS'] : []),
  ].join(', ');
}

/** Formats a sum with two decimals. */
export function toUsd(amount: number): string {
  return amount.toFixed(2);
}

export function toText(estimate: Estimate): string {
  const { profile, clusters, changesPerDay, rows, total, resync, extras, manager } = estimate;
  const width = Math.max(...rows.map(({ name }) => name.length));
  const line = (name: string, idle: string, busy: string, how = ''): string =>
    `${name.padEnd(width)}  ${idle.padStart(8)}  ${busy.padStart(8)}  ${how}`.trimEnd();
  const count = (value: number): string => Math.round(value).toLocaleString('en-US');
  return [
    `USD a month of 30 days, ${toTitle(profile)}`,
    `${count(clusters)} Clusters; busy: ${count(changesPerDay)} changes a day. Free tiers are left aside.`,
    '',
    line('', 'idle', 'busy'),
    ...rows.map(({ name, idle, busy, how }) => line(name, toUsd(idle), toUsd(busy), how)),
    line('sum', toUsd(total.idle), toUsd(total.busy)),
    '',
    `Of the idle sum ${toUsd(resync.usd)} is the resync: ${count(resync.invocations)} invocations, and ${count(resync.apiRequests)} requests to API servers, which AWS does not bill.`,
    'Not in the sum, as only some deployments need it:',
    ...extras.map(({ name, usd, how }) => `  ${name} ${toUsd(usd)} (${how})`),
    `An always-on manager: ${toUsd(manager.ownNodeUsd)} on a ${manager.node} of its own, the cheapest node that holds it; ${toUsd(manager.shareUsd)} by its share of one that is there anyway.`,
    `Prices: ${source.region}, ${source.asOf}, ${source.isCheckedAgainstAws ? 'as on the pages of AWS' : 'not checked against the pages of AWS'} (infra/prices.ts).`,
    '',
  ].join('\n');
}
