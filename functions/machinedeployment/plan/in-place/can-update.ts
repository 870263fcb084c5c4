// Decides from the answer of the hook CanUpdateMachineSet whether Machines of an old MachineSet are updated in place: its
// patches must make the old objects equal to the desired ones.
import {
  allInOrder,
  type Checked,
  compareText,
  type JsonObject,
  mapChecked,
  memberOf,
  prefixed,
  sameJson,
  toRecord,
  valueAt,
} from '@capi-serverless/apimachinery';
import type { CanUpdateMachineSetRequest } from '../../../../shared/runtime-hooks/rules/requests.ts';
import type { CanUpdateMachineSetResponse } from '../../../../shared/runtime-hooks/rules/response-schemas.ts';
import type { InPlaceAnswer } from '../../seen.ts';
import { type ExtensionPatch, patchTemplateSpec } from './apply-patch.ts';

interface HookAnswer {
  readonly request: CanUpdateMachineSetRequest;
  readonly response: Pick<
    CanUpdateMachineSetResponse,
    'machineSetPatch' | 'bootstrapConfigTemplatePatch' | 'infrastructureMachineTemplatePatch'
  >;
  /** The full name of the handler, for errors. */
  readonly handler: string;
}

export function decideInPlace({ request, response, handler }: HookAnswer): InPlaceAnswer {
  const { current, desired } = request;
  const parts: readonly (readonly [JsonObject, JsonObject | undefined, ExtensionPatch])[] = [
    [current.machineSet, desired.machineSet, response.machineSetPatch],
    ...(current.bootstrapConfigTemplate === undefined
      ? []
      : [
          [
            current.bootstrapConfigTemplate,
            desired.bootstrapConfigTemplate,
            response.bootstrapConfigTemplatePatch,
          ] as const,
        ]),
    [
      current.infrastructureMachineTemplate,
      desired.infrastructureMachineTemplate,
      response.infrastructureMachineTemplatePatch,
    ],
  ];
  const compared = allInOrder(parts.map(([from, to, patch]) => reasonsAgainst(from, to, patch)));
  const action = `failed to apply patches from extension ${handler} to the CanUpdateMachineSet request`;
  const checked = prefixed(compared, action);
  if (!checked.ok) {
    return { state: 'failed', problem: checked.error };
  }
  const reasons = checked.value.flat();
  return reasons.length === 0 ? { state: 'yes' } : { state: 'no', reasons };
}

/** `to` is absent if only the old MachineSet has a bootstrap template. Callers do not ask then. */
function reasonsAgainst(
  from: JsonObject,
  to: JsonObject | undefined,
  patch: ExtensionPatch,
): Checked<readonly string[]> {
  return mapChecked(patchTemplateSpec(from, patch), patched => {
    const wanted = valueAt(to, templateSpec);
    const paths = from['kind'] === 'MachineSet' ? differencesOfSets(patched, wanted) : differences(patched, wanted);
    return paths.length === 0 ? [] : [`${from['kind']} cannot be updated in-place: ${paths.join(', ')} would differ`];
  });
}

const templateSpec = 'spec.template.spec';

/** The names of templates never matter. All other fields of a MachineSet are changed without extension. */
const rolloutFields = ['version', 'failureDomain'];

function differencesOfSets(patched: unknown, wanted: unknown): readonly string[] {
  return rolloutFields.filter(field => !sameMember(patched, wanted, field)).map(toPath);
}

/** Names only the fields. Their values can be secrets. */
function differences(patched: unknown, wanted: unknown): readonly string[] {
  if (sameJson(patched, wanted)) {
    return [];
  }
  const fields = new Set([...Object.keys(toRecord(patched)), ...Object.keys(toRecord(wanted))]);
  const different = [...fields].filter(field => !sameMember(patched, wanted, field)).map(toPath);
  return different.length === 0 ? [templateSpec] : different.toSorted(compareText);
}

function toPath(field: string): string {
  return `${templateSpec}.${field}`;
}

function sameMember(a: unknown, b: unknown, field: string): boolean {
  return sameJson(memberOf(a, field), memberOf(b, field));
}
