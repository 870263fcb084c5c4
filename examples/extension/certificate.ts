// A certificate authority and a server certificate. In a cluster, cert-manager creates both. Then the server reads them from the
// files of a mounted Secret, and an annotation of the ExtensionConfig names that Secret.
import { createAuthority, issueServerCertificate } from '../../shared/certificates/x509/authority.ts';

/** PEM texts. The authority's key is not kept. */
interface Certified {
  readonly authority: string;
  readonly certificate: string;
  readonly privateKey: string;
}

/** For a server at this IP address, valid for one year. */
export async function certify(address: string): Promise<Certified> {
  const now = Date.now();
  const authority = await createAuthority(now);
  const issued = await issueServerCertificate(authority, { address, now });
  return { authority: authority.certificate, ...issued };
}
