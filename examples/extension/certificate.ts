// A certificate authority and a server certificate. In a cluster, cert-manager creates both. The server then reads them
// from the files of a mounted Secret. An annotation of the ExtensionConfig names this Secret.
import { createAuthority, issueServerCertificate } from '../../shared/certificates/x509/authority.ts';

/** The certificates as PEM texts. The authority's key is not stored. */
interface Certified {
  readonly authority: string;
  readonly certificate: string;
  readonly privateKey: string;
}

/** Creates a certificate for a server at this IP address. It is valid for one year. */
export async function certify(address: string): Promise<Certified> {
  const now = Date.now();
  const authority = await createAuthority(now);
  const issued = await issueServerCertificate(authority, { address, now });
  return { authority: authority.certificate, ...issued };
}
