// The revision of the current MachineSet. It is higher than the revisions of all old ones.
import {
  type Checked,
  mapChecked,
  prefixed,
  toDisplayName,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import { revisionAnnotation, revisionHistoryAnnotation } from '../../../../shared/machine-collections/keys.ts';
import { revisionOf } from '../../../../shared/machine-collections/revision-number.ts';

export interface SetRevision {
  readonly number: string;
  /** The earlier revisions, separated by commas. Absent if there are none. */
  readonly history: string | undefined;
}

/** Fails if the MachineSet has a revision that is no number. Those of old MachineSets are ignored. */
export function nextRevision(set: Unstructured | undefined, old: readonly Unstructured[]): Checked<SetRevision> {
  const highest = old.map(revisionOf).reduce((most, each) => (each.ok && each.value > most ? each.value : most), 0n);
  const next = highest + 1n;
  if (set === undefined) {
    return valid({ number: String(next), history: undefined });
  }
  const problem = `failed to parse current revision on MachineSet ${toDisplayName(set.metadata)}`;
  return mapChecked(prefixed(revisionOf(set), problem), own => {
    const { annotations = {} } = set.metadata;
    const { [revisionAnnotation]: recorded, [revisionHistoryAnnotation]: history } = annotations;
    return own >= next
      ? { number: String(own), history }
      : { number: String(next), history: withRevision(history, recorded) };
  });
}

function withRevision(history: string | undefined, revision: string | undefined): string | undefined {
  return revision === undefined ? history : [...(history ? [history] : []), revision].join(',');
}
