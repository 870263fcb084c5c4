// Decodes the caBundle of an ExtensionConfig: PEM in base64.
import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';

/** Returns the PEM text. Empty input returns empty output. The certificates are not parsed. */
export function toPemText(base64: string): Checked<string> {
  if (base64 === '') {
    return valid('');
  }
  try {
    const text = atob(base64);
    return text.includes('-----BEGIN CERTIFICATE-----')
      ? valid(text)
      : invalid('spec.clientConfig.caBundle holds no certificate in PEM');
  } catch {
    return invalid('spec.clientConfig.caBundle is not base64');
  }
}
