import { answered, type FailureReason, refused } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { injectionOf, readCaBundle } from '../../../../../functions/extensionconfig/phases/injection.ts';
import { readExtensionConfig } from '../../../../../shared/api/extension-config/reader.ts';
import { anExtensionConfig } from '../../../../support/extension-config.ts';
import { aSecret, base64 } from '../world.ts';

const secretRef = { apiVersion: 'v1', kind: 'Secret', namespace: 'ns', name: 's' };

describe('the Secret that the annotation names', () => {
  it.each([
    { value: undefined, injection: { state: 'none' }, reason: 'no annotation' },
    { value: 'ns/s', injection: { state: 'secret', ref: secretRef }, reason: 'both parts' },
    {
      value: 'ns/s/t',
      injection: { state: 'secret', ref: { ...secretRef, name: 's/t' } },
      reason: 'split at the first slash; such a Secret cannot exist',
    },
    { value: 'justname', reason: 'no slash' },
    { value: '/s', reason: 'no namespace' },
    { value: 'ns/', reason: 'no name' },
    { value: '/', reason: 'neither' },
    { value: '', reason: 'empty' },
  ])('$value: $reason', ({ value, injection }) => {
    const config = readExtensionConfig(
      (value === undefined ? anExtensionConfig() : anExtensionConfig().injectingCaFrom(value)).build(),
    );
    const error = `failed to reconcile caBundle: secret name "${value}" must be in the form <namespace>/<name>`;
    expect(injectionOf(config)).toEqual(injection ?? { state: 'malformed', error });
  });
});

describe('the caBundle in the Secret', () => {
  it.each([
    { data: { 'ca.crt': 'PEM' }, caBundle: base64('PEM'), reason: 'has the same bytes' },
    { data: { 'ca.crt': '' }, caBundle: '', reason: 'an empty entry empties the bundle' },
  ])('$reason', ({ data, caBundle }) => {
    expect(readCaBundle(secretRef, answered(aSecret(data)))).toEqual({ state: 'found', caBundle });
  });

  it('is an error without the entry', () => {
    expect(readCaBundle(secretRef, answered(aSecret({ 'tls.crt': 'PEM' })))).toEqual({
      state: 'failed',
      error: 'failed to reconcile caBundle: secret ns/s does not contain a "ca.crt" entry',
      isLasting: true,
    });
  });

  it.each<{ because: FailureReason; isLasting: boolean; reason: string }>([
    { because: 'NotFound', isLasting: true, reason: 'a user must create it' },
    { because: 'Forbidden', isLasting: true, reason: 'a user must allow it' },
    { because: 'BadRequest', isLasting: true, reason: 'a user must correct the name' },
    { because: 'Invalid', isLasting: true, reason: 'a user must correct the name' },
    { because: 'Unavailable', isLasting: false, reason: 'the API server recovers' },
    { because: 'TooManyRequests', isLasting: false, reason: 'the API server recovers' },
    { because: 'Aborted', isLasting: false, reason: 'the next invocation has time' },
  ])('a failure by $because lasts: $isLasting, since $reason', ({ because, isLasting }) => {
    expect(readCaBundle(secretRef, refused({ reason: because, message: 'why' }))).toEqual({
      state: 'failed',
      error: 'failed to reconcile caBundle: failed to get secret "ns/s": why',
      isLasting,
    });
  });
});
