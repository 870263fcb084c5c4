// Error messages of calls without a usable response.
import { toKept } from '../rules/response.ts';

/** OpenSSL codes for a certificate without a known authority. */
const untrusted = /\b(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER_CERT|VERIFY)\w*)\b/;
/** OpenSSL messages start with a thread number, which would make each message unique. */
const threadNumber = /\b[0-9A-F]{8,16}:(?=error:)/g;
const unknownName = /\b(ENOTFOUND|EAI_AGAIN)\b/;

/** The text for a status code other than 200, with the start of the answer. */
export function toStatusProblem(status: number, text: string): string {
  const shown = JSON.stringify(toKept(text));
  return `http call failed: got response with status code ${status} != 200: response : ${shown}`;
}

/** The text for a missing or incomplete answer, with a remedy. */
export function toLossProblem(url: string, message: string): string {
  const { hostname } = new URL(url);
  const line = toKept(message).replaceAll(threadNumber, '').replaceAll(/\s+/g, ' ').trim();
  const text = `http call failed: Post "${url}": ${line}`;
  if (untrusted.test(message)) {
    return `${text}; its certificate is not of an authority in spec.clientConfig.caBundle`;
  }
  if (unknownName.test(message) && hostname.endsWith('.svc')) {
    return `${text}; CAPI_EXTENSION_SERVICES=dns takes a name server that knows the Services of the cluster, or use spec.clientConfig.url`;
  }
  return text;
}
