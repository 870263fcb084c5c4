import { describe, expect, it } from 'vitest';
import { readCaBundle, wishOf } from '../../../../../functions/extensionconfig/phases/injection.ts';
import { answered, type FailureReason, refused } from '../../../../../shared/api/answer.ts';
import { readExtensionConfig } from '../../../../../shared/api/extension-config/reader.ts';
import { anExtensionConfig } from '../../../../support/extension-config.ts';
import { aSecret, base64 } from '../world.ts';

const secretRef = { apiVersion: 'v1', kind: 'Secret', namespace: 'ns', name: 's' };

describe('the Secret that the annotation names', () => {
  it.each([
    { value: undefined, wish: { state: 'none' }, reason: 'no annotation' },
    { value: 'ns/s', wish: { state: 'secret', ref: secretRef }, reason: 'both parts' },
    {
      value: 'ns/s/t',
      wish: { state: 'secret', ref: { ...secretRef, name: 's/t' } },
      reason: 'split at the first slash; such a Secret cannot exist',
    },
    { value: 'justname', reason: 'no slash' },
    { value: '/s', reason: 'no namespace' },
    { value: 'ns/', reason: 'no name' },
    { value: '/', reason: 'neither' },
    { value: '', reason: 'empty' },
  ])('$value: $reason', ({ value, wish }) => {
    const config = readExtensionConfig(
      (value === undefined ? anExtensionConfig() : anExtensionConfig().injectingCaFrom(value)).build(),
    );
    const error = `failed to reconcile caBundle: secret name "${value}" must be in the form <namespace>/<name>`;
    expect(wishOf(config)).toEqual(wish ?? { state: 'malformed', error });
  });
});

describe('what the Secret says', () => {
  it.each([
    { data: { 'ca.crt': 'PEM' }, caBundle: base64('PEM'), reason: 'the bytes as they are' },
    { data: { 'ca.crt': '' }, caBundle: '', reason: 'an empty entry empties the bundle' },
  ])('$reason', ({ data, caBundle }) => {
    expect(readCaBundle(secretRef, answered(aSecret(data)))).toEqual({ state: 'found', caBundle });
  });

  it('is nothing without the entry', () => {
    expect(readCaBundle(secretRef, answered(aSecret({ 'tls.crt': 'PEM' })))).toEqual({
      state: 'failed',
      error: 'failed to reconcile caBundle: secret ns/s does not contain a "ca.crt" entry',
      isLasting: true,
    });
  });

  it.each<{ because: FailureReason; isLasting: boolean; reason: string }>([
    { because: 'NotFound', isLasting: true, reason: 'somebody must create it' },
    { because: 'Forbidden', isLasting: true, reason: 'somebody must allow it' },
    { because: 'BadRequest', isLasting: true, reason: 'somebody must name it right' },
    { because: 'Invalid', isLasting: true, reason: 'somebody must name it right' },
    { because: 'Unavailable', isLasting: false, reason: 'the API server comes back' },
    { because: 'TooManyRequests', isLasting: false, reason: 'the API server calms down' },
    { because: 'Aborted', isLasting: false, reason: 'the next invocation has time' },
  ])('a failure by $because lasts: $isLasting, since $reason', ({ because, isLasting }) => {
    expect(readCaBundle(secretRef, refused({ reason: because, message: 'why' }))).toEqual({
      state: 'failed',
      error: 'failed to reconcile caBundle: failed to get secret "ns/s": why',
      isLasting,
    });
  });
});
