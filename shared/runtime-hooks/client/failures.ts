// What is said of a call that brought no response.
import { toKept } from '../rules/response.ts';

/** What OpenSSL says of a certificate that no known authority signed. */
const untrusted = /\b(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER_CERT|VERIFY)\w*)\b/;
/** OpenSSL begins with the number of a thread: another in each process, and the text would never be the same twice. */
const threadNumber = /\b[0-9A-F]{8,16}:(?=error:)/g;
const unknownName = /\b(ENOTFOUND|EAI_AGAIN)\b/;

/** Another status code than 200: the answer's text tells why, as far as it goes. */
export function toStatusProblem(status: number, text: string): string {
  const shown = JSON.stringify(toKept(text));
  return `http call failed: got response with status code ${status} != 200: response : ${shown}`;
}

/** No answer, or not all of it, with what can be done about it. */
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
