// The audit options, read from files in the format of kube-apiserver.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toKubeconfig, writeKubeconfig } from '@capi-serverless/apiserver';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readAuditOptions } from '../../../../local/apiserver/read-audit-options.ts';
import { makeSelfSignedCertificate } from '../../../support/self-signed-certificate.ts';

describe('the files of the audit', () => {
  let dir: string;
  const file = (name: string): string => join(dir, name);

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'capi-audit-'));
  });

  afterEach(() => rmSync(dir, { recursive: true }));

  it('contain the URL, the trusted certificate and the token', async () => {
    const { certificatePem: caPem } = makeSelfSignedCertificate();
    const url = 'https://127.0.0.1:9/audit';
    writeKubeconfig(file('webhook'), toKubeconfig({ url, caPem, user: 'audit', token: 'some-token' }));
    writeFileSync(file('policy'), 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n');
    expect(await readAuditOptions({ policyFile: file('policy'), webhookFile: file('webhook') })).toEqual({
      url,
      caPem,
      token: 'some-token',
      policy: { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] },
    });
  });

  it('are named when they cannot be used', async () => {
    writeKubeconfig(
      file('webhook'),
      toKubeconfig({ url: 'https://127.0.0.1:9', caPem: '', user: 'audit', token: 't' }),
    );
    writeFileSync(file('policy'), ': [');
    const read = (webhook: string) => readAuditOptions({ policyFile: file('policy'), webhookFile: file(webhook) });
    await expect(read('webhook')).rejects.toThrow(file('policy'));
    await expect(read('nothing')).rejects.toThrow(file('nothing'));
  });
});
