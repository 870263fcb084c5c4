// JSON patches (RFC 6902) and JSON merge patches (RFC 7386) as API servers and Cluster API apply them.

export {
  type Container,
  isContainer,
  JsonDocument,
  keyIn,
  PatchError,
  toIndex,
  valueIn,
  type WritePosition,
} from './json-patch/document.ts';
export { applyMergePatch, mergeInto } from './json-patch/merge-patch.ts';
export { type Operation, type Pointer, readOperation, toPointer } from './json-patch/operation.ts';
export { parseJson, readOperations } from './json-patch/patch-document.ts';
export { perform } from './json-patch/perform.ts';
