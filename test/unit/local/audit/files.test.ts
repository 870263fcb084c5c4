import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { prepareAuditFiles, writeWebhookKubeconfig } from '../../../../local/audit/files.ts';
import { createTokens } from '../../../../shared/lambda/tokens.ts';

describe('the files of the local audit webhook', () => {
  let home: string;
  let folder: string;

  beforeEach(() => {
    home = mkdtempSync(path.join(tmpdir(), 'capi-audit-'));
    folder = path.join(home, 'new/folder');
  });

  afterEach(() => rmSync(home, { recursive: true }));

  it('are created once and kept, so that an API server is configured once', async () => {
    const first = await prepareAuditFiles(folder);
    expect(await prepareAuditFiles(folder)).toEqual(first);
    const other = await prepareAuditFiles(path.join(home, 'other'));
    expect(other.token).not.toBe(first.token);
  });

  it('hold a token that the function accepts', async () => {
    const { token, tokenFile } = await prepareAuditFiles(folder);
    expect(
      await createTokens('CAPI_AUDIT_TOKENS', { file: tokenFile, secret: undefined, tokens: undefined }).current(),
    ).toEqual([token]);
  });

  it('name the first token while two are exchanged', async () => {
    const { token, tokenFile } = await prepareAuditFiles(folder);
    writeFileSync(tokenFile, `${token}\nthe-token-that-comes-next\n`);
    expect((await prepareAuditFiles(folder)).token).toBe(token);
  });

  it('can be read only by their owner', async () => {
    const files = await prepareAuditFiles(folder);
    writeWebhookKubeconfig(files, 'https://127.0.0.1:1/');
    for (const file of [files.tokenFile, path.join(folder, 'certificate.json'), files.kubeconfigFile]) {
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
  });

  it.each(['', '{}', '{"certificatePem":"no certificate","keyPem":"no key"}'])(
    'have a new certificate where %j is kept',
    async text => {
      await prepareAuditFiles(folder);
      writeFileSync(path.join(folder, 'certificate.json'), text);
      const { certificate } = await prepareAuditFiles(folder);
      expect(new X509Certificate(certificate.certificatePem).subjectAltName).toBe('IP Address:127.0.0.1');
    },
  );

  it('contain the URL, the trusted certificate and the token for an API server', async () => {
    const files = await prepareAuditFiles(folder);
    writeWebhookKubeconfig(files, 'https://127.0.0.1:1/');
    const config = JSON.parse(readFileSync(files.kubeconfigFile, 'utf8'));
    expect(config.users[0].user).toEqual({ token: files.token });
    expect(config.clusters[0].cluster).toEqual({
      server: 'https://127.0.0.1:1/',
      'certificate-authority-data': Buffer.from(files.certificate.certificatePem).toString('base64'),
    });
  });
});
