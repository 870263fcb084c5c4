// The condition RefVersionsUpToDate. It reports whether the class references its templates in the newest version of
// their contract.
import { versionOf } from '@capi-serverless/apimachinery';
import {
  type ConditionDraft,
  type V1Beta1Draft,
  v1Beta1False,
  v1Beta1True,
  v1Beta1Unknown,
} from '@capi-serverless/cluster-api/conditions';
import type { Outdated, TemplateCheck } from '../phases/check-templates.ts';

const type = 'RefVersionsUpToDate';
const unknown = { reason: 'InternalError', message: 'Please check controller logs for errors' };

/** The condition is Unknown if the version of any template could not be checked. */
export function refVersionsUpToDate({ errors, outdated }: TemplateCheck): ConditionDraft {
  if (errors.length > 0) {
    return { type, status: 'Unknown', ...unknown };
  }
  return outdated.length > 0
    ? { type, status: 'False', reason: 'RefVersionsNotUpToDate', message: toMessage(outdated) }
    : { type, status: 'True', reason: 'RefVersionsUpToDate' };
}

export function v1Beta1RefVersionsUpToDate({ errors, outdated }: TemplateCheck): V1Beta1Draft {
  if (errors.length > 0) {
    return v1Beta1Unknown(type, unknown);
  }
  return outdated.length > 0
    ? v1Beta1False(type, { reason: 'OutdatedRefVersions', severity: 'Warning', message: toMessage(outdated) })
    : v1Beta1True(type);
}

function toMessage(outdated: readonly Outdated[]): string {
  const lines = outdated.map(
    ({ ref, latest }) => `* ${ref.kind} ${ref.name}: current: ${versionOf(ref.apiVersion)}, latest: ${latest}`,
  );
  return ['The following templateRefs are not using the latest apiVersion:', ...lines].join('\n');
}
