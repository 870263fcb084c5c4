// The report of one pass over an ExtensionConfig: its handlers, both condition families, and the time of the next
// reconcile.
import { type Instant, toRecord } from '@capi-serverless/apimachinery';
import { setConditions, setV1Beta1Condition } from '@capi-serverless/cluster-api/conditions';
import { applied, changesAfter, noProgress, type Outcomes, type Report, resultOf } from '@capi-serverless/reconciler';
import type { ExtensionConfig, ExtensionHandler } from '../../shared/api/extension-config/reader.ts';
import { type ConfigPlan, type ConfigProgress, type DiscoveredConditions, pausedOf } from './plan.ts';

export function report({ config, steps }: ConfigPlan, outcomes: Outcomes, now: Instant): Report {
  const progress = changesAfter(steps, outcomes).reduce<ConfigProgress>(applied, noProgress);
  const { conditions, handlers } = progress;
  const written = conditions === undefined ? undefined : toStatus(config, conditions, now);
  return {
    ...(written === undefined ? {} : { status: { status: withHandlers(written, handlers) } }),
    events: [],
    result: resultOf(progress),
  };
}

type Status = Readonly<Record<string, unknown>>;

function withHandlers(status: Status, handlers: readonly ExtensionHandler[] | undefined): Status {
  const { handlers: _, ...others } = status;
  return handlers === undefined ? status : { ...others, ...(handlers.length === 0 ? {} : { handlers }) };
}

/** Returns the stored status with these conditions. The condition Paused also gets the current generation. */
function toStatus(config: ExtensionConfig, reported: DiscoveredConditions, now: Instant): Status {
  const { object, metadata, status } = config;
  const { generation } = metadata;
  const stored = toRecord(object.status);
  const deprecated = toRecord(stored['deprecated']);
  const v1beta1 = setV1Beta1Condition(status.deprecated.v1beta1.conditions, reported.v1beta1, { now });
  return {
    ...stored,
    conditions: setConditions(status.conditions, [pausedOf(config), reported.condition], { generation, now }),
    deprecated: { ...deprecated, v1beta1: { ...toRecord(deprecated['v1beta1']), conditions: v1beta1 } },
  };
}
