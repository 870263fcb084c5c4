// The default field manager of a write: the name of the client program. Pure.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#managers

const maxBytes = 128;

/**
 * Returns the name in the query, or else the name of the program. It has printable characters only and is truncated at
 * the maximum length.
 */
export function toManager(fieldManager: string, userAgent: string): string {
  if (fieldManager !== '') {
    return fieldManager;
  }
  const [program = ''] = userAgent.split('/', 1);
  let bytes = 0;
  const characters = [...program]
    .filter(character => !/\p{C}/u.test(character))
    .filter(character => {
      bytes += new TextEncoder().encode(character).length;
      return bytes <= maxBytes;
    });
  return characters.length === 0 ? 'unknown' : characters.join('');
}
