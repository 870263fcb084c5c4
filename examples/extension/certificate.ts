// An authority of the server's own, and a certificate by it. In a cluster cert-manager makes both: then the server reads them
// from the files of a mounted Secret, and the ExtensionConfig names that Secret in its annotation.
import { createAuthority, issueServerCertificate } from '../../shared/certificates/x509/authority.ts';

/** PEM texts. The authority's key is forgotten at once. */
export interface Certified {
  readonly authority: string;
  readonly certificate: string;
  readonly privateKey: string;
}

/** For a server at this IP address, for a year. */
export async function certify(address: string): Promise<Certified> {
  const now = Date.now();
  const authority = await createAuthority(now);
  const issued = await issueServerCertificate(authority, { address, now });
  return { authority: authority.certificate, ...issued };
}
