// The formats of schemas. Unknown formats are ignored, as in kube-apiserver.
import { textFormat } from '@capi-serverless/apimachinery/text-formats';

const base64Pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const int32Limit = 2 ** 31;

/** Returns true if the text is standard base64 with padding. Unlike the format `byte`, it may be empty. */
export function isBase64(text: string): boolean {
  return base64Pattern.test(text);
}

export function hasFormat(value: string | number, format: string): boolean {
  return typeof value === 'string' ? (textFormat(format)?.(value) ?? true) : isNumber(value, format);
}

function isNumber(value: number, format: string): boolean {
  switch (format) {
    case 'int32':
      return value >= -int32Limit && value < int32Limit;
    case 'int64':
      return Number.isSafeInteger(value);
    default:
      return true;
  }
}
