// The decisions of the embedded API server about writes, in the form of webhook answers.
import { groupOf, type Unstructured } from '@capi-serverless/apimachinery';
import { type AdmissionRequest, type ObjectDraft, StatusError, type Stored } from '@capi-serverless/apiserver/core';
import { createAdmission } from '../../../local/admission.ts';
import type { AdmittedKind } from '../../../shared/admission/hooks.ts';
import { type ComparableAnswer, toComparable } from './comparable-answer.ts';
import { type GeneratedWrite, readableObjects } from './generated-objects.ts';
import { toDecisionGates } from './own-answers.ts';

const prefix = /^admission webhook "[^"]*" denied the request: /;

/** Its admission sets the defaults and validates at once. */
export function embeddedAnswer(
  resource: AdmittedKind,
  { object, old }: GeneratedWrite,
  gates: string,
): ComparableAnswer {
  const { mutate, admit } = createAdmission(toDecisionGates(gates));
  const warnings: string[] = [];
  const stored = readableObjects as readonly unknown[] as readonly Unstructured[]; // True: they have metadata.
  const reads = {
    list: (apiVersion: string, kind: string) =>
      stored.filter(each => each.kind === kind && groupOf(each.apiVersion) === groupOf(apiVersion)),
    warn: (text: string) => warnings.push(text),
  };
  const requestOf = (written: ObjectDraft): AdmissionRequest => ({
    ...{ resource, name: String(written.metadata.name ?? ''), dryRun: false, object: written },
    ...(old === undefined ? { operation: 'CREATE' } : { operation: 'UPDATE', old: old as unknown as Stored }),
  });
  try {
    const written = object as unknown as ObjectDraft;
    const defaulted = mutate(requestOf(written)) ?? written;
    const admitted = admit(requestOf(defaulted), reads) ?? defaulted;
    return toComparable({ uid: 'u', allowed: true, status: { code: 200 }, warnings }, { ...admitted });
  } catch (thrown) {
    if (!(thrown instanceof StatusError)) {
      throw thrown;
    }
    const { message = '', ...status } = thrown.status;
    const refused = { ...status, message: message.replace(prefix, '') };
    return toComparable({ uid: 'u', allowed: false, status: refused, warnings }, object);
  }
}
