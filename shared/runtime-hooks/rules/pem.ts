// The caBundle of an ExtensionConfig: PEM, in base64 as JSON holds bytes.
import { type Checked, invalid, valid } from '../../api/checked.ts';

/** The PEM text; empty stays empty. What is inside the certificates is not looked at. */
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
