// The report of one pass over an ExtensionConfig: its handlers, both condition families, and the time of the next
// reconcile.
import { type Checked, type Instant, toRecord } from '@capi-serverless/apimachinery';
import { setCondition, setV1Beta1Condition } from '@capi-serverless/cluster-api/conditions';
import { failureOf, type Outcomes, type Report, type Result, type StatusChange } from '@capi-serverless/reconciler';
import type { ExtensionConfig, ExtensionHandler } from '../../shared/api/extension-config/reader.ts';
import { type DiscoveredConditions, discovered, notDiscovered } from './conditions/discovered.ts';
import { injectId } from './decide.ts';
import { pausedOf } from './phases/gate.ts';
import type { ExtensionConfigSeen } from './seen.ts';

/** The resync period of upstream's manager. The timer also replaces a watch on Secrets. */
export const recheckMs = 600_000;

/** After a failed discovery, the handlers stay in the status, because callers still need them. */
export function report(seen: ExtensionConfigSeen, outcomes: Outcomes, now: Instant): Report {
  const { config } = seen;
  switch (seen.step) {
    case 'pausedCondition':
      return pausedReport(config, now);
    case 'failed':
      return {
        ...(seen.isReported ? { status: toStatus(config, notDiscovered(seen.error), now) } : {}),
        events: [],
        result: failed(seen.error),
      };
    case 'inject':
      return { events: [], result: injectionResult(config, outcomes) };
    case 'discovery':
      return discoveryReport(config, seen.discovered, now);
  }
}

function pausedReport(config: ExtensionConfig, now: Instant): Report {
  const { object, metadata, status } = config;
  const paused = pausedOf(config);
  const conditions = setCondition(status.conditions, paused, { generation: metadata.generation, now });
  return {
    status: { status: { ...toRecord(object.status), conditions } },
    events: [],
    result: { kind: paused.status === 'True' ? 'done' : 'again' },
  };
}

function injectionResult({ metadata }: ExtensionConfig, outcomes: Outcomes): Result {
  const failure = failureOf(outcomes, injectId);
  return failure !== undefined
    ? failed(`failed to patch ExtensionConfig ${metadata.name} with the caBundle of its Secret: ${failure.message}`)
    : { kind: 'again' };
}

function discoveryReport(config: ExtensionConfig, answer: Checked<readonly ExtensionHandler[]>, now: Instant): Report {
  if (!answer.ok) {
    const status = toStatus(config, notDiscovered(`Error in discovery: ${answer.error}`), now);
    return { status, events: [], result: failed(answer.error) };
  }
  const { handlers: _, ...others } = toStatus(config, discovered(), now).status;
  return {
    status: { status: { ...others, ...(answer.value.length === 0 ? {} : { handlers: answer.value }) } },
    events: [],
    result: { kind: 'requeueAfter', ms: recheckMs },
  };
}

/** Returns the stored status with these conditions. The condition Paused also gets the current generation. */
function toStatus(config: ExtensionConfig, reported: DiscoveredConditions, now: Instant): StatusChange {
  const { object, metadata, status } = config;
  const options = { generation: metadata.generation, now };
  const conditions = [pausedOf(config), reported.condition].reduce(
    (list, condition) => setCondition(list, condition, options),
    status.conditions,
  );
  const stored = toRecord(object.status);
  const deprecated = toRecord(stored['deprecated']);
  const v1beta1 = setV1Beta1Condition(status.deprecated.v1beta1.conditions, reported.v1beta1, { now });
  return {
    status: {
      ...stored,
      conditions,
      deprecated: { ...deprecated, v1beta1: { ...toRecord(deprecated['v1beta1']), conditions: v1beta1 } },
    },
  };
}

function failed(message: string): Result {
  return { kind: 'failed', error: new Error(message), terminal: false };
}
