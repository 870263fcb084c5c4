// What one pass over an ExtensionConfig tells: its handlers, both condition families, and when to ask again.
import type { Checked } from '../../shared/api/checked.ts';
import type { ExtensionConfig, ExtensionHandler } from '../../shared/api/extension-config/reader.ts';
import { toRecord } from '../../shared/api/fields.ts';
import type { Instant } from '../../shared/api/object.ts';
import { setCondition } from '../../shared/conditions/set.ts';
import { setV1Beta1Condition } from '../../shared/conditions/v1beta1.ts';
import type { Outcomes, Report, Result, StatusChange } from '../../shared/kernel/types.ts';
import { discovered, notDiscovered, type Told } from './conditions/discovered.ts';
import { injectId } from './decide.ts';
import { pausedOf } from './phases/gate.ts';
import type { Seen } from './seen.ts';

/** As often as upstream's manager looks again at everything. Here it also stands for a watch on Secrets. */
export const recheckMs = 600_000;

/** After a failed discovery the handlers stay: whoever calls them must not take them for gone. */
export function report(seen: Seen, outcomes: Outcomes, now: Instant): Report {
  const { config } = seen;
  switch (seen.step) {
    case 'pausedCondition':
      return pausedReport(config, now);
    case 'failed':
      return {
        ...(seen.isTold ? { status: toStatus(config, notDiscovered(seen.error), now) } : {}),
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
  const outcome = outcomes.get(injectId);
  return outcome?.state === 'failed'
    ? failed(
        `failed to patch ExtensionConfig ${metadata.name} with the caBundle of its Secret: ${outcome.failure.message}`,
      )
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

/** The stored status with these conditions; Paused moves its generation along. */
function toStatus(config: ExtensionConfig, told: Told, now: Instant): StatusChange {
  const { object, metadata, status } = config;
  const options = { generation: metadata.generation, now };
  const conditions = [pausedOf(config), told.condition].reduce(
    (list, condition) => setCondition(list, condition, options),
    status.conditions,
  );
  const stored = toRecord(object.status);
  const deprecated = toRecord(stored['deprecated']);
  const v1beta1 = setV1Beta1Condition(status.deprecated.v1beta1.conditions, told.v1beta1, { now });
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
