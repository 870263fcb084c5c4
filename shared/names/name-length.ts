// The length of generated names. A longer name is truncated and ends with random characters.

/** The maximum length of a name, and the length to which a longer name is truncated before new random characters. */
const longestBytes = 63;
const keptBytes = 58;

/** Returns a name of at most 63 bytes, so that it is a valid label value. */
export function fitName(name: string, ending: string): string {
  return bytesOf(name).length > longestBytes ? cutName(name) + ending : name;
}

/** Returns the first bytes, without a partial character at the end. */
export function cutName(text: string): string {
  return new TextDecoder().decode(bytesOf(text).subarray(0, keptBytes), { stream: true });
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
