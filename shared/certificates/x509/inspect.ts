// Distinguishes generated kubeconfigs from those that users supplied.
import { X509Certificate } from 'node:crypto';
import type { OwnKubeconfig } from '../port.ts';
import { readKubeconfigText, toUserName } from './kubeconfig-text.ts';

/** Returns `undefined` for a kubeconfig that neither `signKubeconfig` nor upstream generates. */
export async function inspectKubeconfig(text: string): Promise<OwnKubeconfig | undefined> {
  const parts = await readKubeconfigText(text);
  if (parts === undefined || parts.userName !== toUserName(parts.clusterName)) {
    return undefined;
  }
  try {
    const { subject, validToDate } = new X509Certificate(parts.clientCertificate);
    return subject.split('\n').sort().join() === 'CN=kubernetes-admin,O=system:masters'
      ? { clusterName: parts.clusterName, server: parts.server, expiresAt: validToDate.getTime() }
      : undefined;
  } catch {
    return undefined;
  }
}
