// The certificate authorities of a caBundle.
import { X509Certificate } from 'node:crypto';
import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';

/**
 * Returns the readable certificates as PEM. Empty input returns empty output. As in upstream, fails if no certificate
 * is readable.
 */
export function toAuthorities(caBundle: string): Checked<string> {
  if (caBundle === '') {
    return valid('');
  }
  const blocks = caBundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const certificates = blocks.filter(isCertificate);
  return certificates.length === 0
    ? invalid('spec.clientConfig.caBundle holds no certificate that can be read')
    : valid(certificates.join('\n'));
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}
