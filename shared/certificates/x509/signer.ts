// Generates the administrator's kubeconfig of a Cluster if no control plane provider generates it.
import 'reflect-metadata';
import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';
import { toError } from '@capi-serverless/reconciler';
import { ExtendedKeyUsage, ExtendedKeyUsageExtension, KeyUsageFlags, KeyUsagesExtension } from '@peculiar/x509';
import type { KubeconfigRequest } from '../port.ts';
import { issueCertificate, readAuthority } from './authority.ts';
import { createKeyPair } from './keys.ts';
import { toKubeconfigText } from './kubeconfig-text.ts';

const certificateMs = 365 * 86_400_000;

const administrator = [{ O: ['system:masters'] }, { CN: ['kubernetes-admin'] }];

export async function signKubeconfig(request: KubeconfigRequest): Promise<Checked<string>> {
  const authority = readAuthority(request.authority);
  if (!authority.ok) {
    return authority;
  }
  const { publicKey, privateKey } = await createKeyPair();
  try {
    const clientCertificate = await issueCertificate(authority.value, {
      subject: administrator,
      publicKey,
      notBefore: authority.value.certificate.notBefore,
      notAfter: new Date(request.now + certificateMs),
      extensions: [
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth]),
      ],
    });
    return valid(
      toKubeconfigText({
        clusterName: request.clusterName,
        server: request.server,
        authority: authority.value.certificatePem,
        clientCertificate,
        clientKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
      }),
    );
  } catch (thrown) {
    return invalid(`failed to sign certificate: ${toError(thrown).message}`);
  }
}
