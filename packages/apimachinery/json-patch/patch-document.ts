// The JSON patches that extensions send.
import { type Checked, invalid, valid } from '../checked.ts';
import { type Operation, readOperation } from './operation.ts';

/** Returns the operations of a patch document, and none for `null`. The error names the failed operation. */
export function readOperations(document: string): Checked<readonly Operation[]> {
  const parsed = parseJson(document);
  if (!parsed.ok) {
    return parsed;
  }
  if (parsed.value === null) {
    return valid([]);
  }
  if (!Array.isArray(parsed.value)) {
    return invalid('a JSON patch must be a list of operations');
  }
  const operations: Operation[] = [];
  for (const [index, raw] of parsed.value.entries()) {
    const operation = readOperation(raw);
    if (!operation.ok) {
      return invalid(`invalid operation ${index}: ${operation.error}`);
    }
    operations.push(operation.value);
  }
  return valid(operations);
}

/** The error contains only the position, because the document may be long. */
export function parseJson(document: string): Checked<unknown> {
  try {
    return valid(JSON.parse(document));
  } catch {
    return invalid('not valid JSON');
  }
}
