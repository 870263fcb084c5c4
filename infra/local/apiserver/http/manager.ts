// Who the fields of a write belong to where nobody says: the program that sent it. Pure.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#managers

const maxBytes = 128;

/** The name in the query, or else that of the program, without what cannot be printed and not longer than a name may be. */
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
