// A template during patching: a JSON document that tracks its size and charges copies to the budget.
import { isJsonObject, type JsonObject } from '@capi-serverless/apimachinery';
import {
  type Container,
  isContainer,
  JsonDocument,
  PatchError,
  valueIn,
  type WritePosition,
} from '@capi-serverless/apimachinery/json-patch';
import { itemSize, measure, memberSize } from './measure.ts';
import { beyond, type Measured, type PatchBudget } from './patch-limits.ts';

/** The cost of a copy of one member of an object or list. */
const bytesPerMember = 8;
/** The units of the meter for one level of a path, which is read and opened for writes. */
const unitsPerLevel = 50;
/** The number of list items that move in one unit of work. */
const movedPerUnit = 4;
/** The number of characters that are compared in one unit of work. A value of few characters has its own comparison. */
const comparedPerUnit = 2;

/** Every write throws PatchError once a limit is exceeded. */
export class PatchDraft extends JsonDocument {
  readonly #budget: PatchBudget;
  #size: number;

  /** Throws PatchError if the document is nested too deeply. */
  constructor(root: JsonObject, budget: PatchBudget) {
    super(root);
    this.#budget = budget;
    this.#size = measure(root, budget).size;
  }

  override containerAt(path: readonly string[]): Container | undefined {
    this.#budget.meter.charge(path.length * unitsPerLevel);
    return super.containerAt(path);
  }

  override replaceRoot(value: unknown): void {
    if (!isJsonObject(value)) {
      throw new PatchError('the whole template can be replaced by an object only');
    }
    this.#size = this.#accept(value, 0);
    this.#checkSize();
    super.replaceRoot(value);
  }

  override set(place: WritePosition, key: string, value: unknown): void {
    const { container, level } = place;
    const before = Object.hasOwn(container, key) ? this.#sizeAt(container, key) : 0;
    const frame = Array.isArray(container) ? itemSize : memberSize(key);
    this.#size += this.#accept(value, level + 1) + frame - before;
    this.#checkSize();
    super.set(place, key, value);
  }

  override insert(place: WritePosition & { readonly container: unknown[] }, index: number, value: unknown): void {
    this.#size += this.#accept(value, place.level + 1) + itemSize;
    this.#checkSize();
    this.#chargeMoved(place.container, index);
    super.insert(place, index, value);
  }

  override remove(place: WritePosition, key: string): void {
    this.#size -= this.#sizeAt(place.container, key);
    this.#chargeMoved(place.container, Number(key));
    super.remove(place, key);
  }

  override isSame(known: unknown, value: unknown): boolean {
    this.#budget.meter.charge(this.#measured(known).size / comparedPerUnit);
    return super.isSame(known, value);
  }

  override copyOf(value: unknown): unknown {
    this.#budget.make(measure(value, this.#budget).size);
    return super.copyOf(value);
  }

  protected override own<T extends Container>(value: T): T {
    if (!this.isOwned(value)) {
      const members = Object.keys(value).length;
      this.#budget.spend(members);
      this.#budget.make(members * bytesPerMember);
    }
    return super.own(value);
  }

  /** The size that the value adds to the document, including separators and keys. */
  #chargeMoved(container: Container, index: number): void {
    if (Array.isArray(container)) {
      this.#budget.meter.charge((container.length - index) / movedPerUnit);
    }
  }

  #sizeAt(container: Container, key: string): number {
    const frame = Array.isArray(container) ? itemSize : memberSize(key);
    const value = valueIn(container, key);
    return frame + (this.#knownSize(value) ?? measure(value, this.#budget).size);
  }

  #knownSize(value: unknown): number | undefined {
    return isContainer(value) && !this.isOwned(value) ? this.#budget.known.get(value)?.size : undefined;
  }

  #accept(value: unknown, level: number): number {
    const { size, depth } = this.#measured(value);
    if (level + depth > this.#budget.limits.depth) {
      throw beyond(`nested more than ${this.#budget.limits.depth} levels deep`);
    }
    return size;
  }

  #measured(value: unknown): Measured {
    if (!isContainer(value) || this.isOwned(value)) {
      return measure(value, this.#budget);
    }
    const measured = this.#budget.known.get(value) ?? measure(value, this.#budget);
    this.#budget.known.set(value, measured);
    return measured;
  }

  #checkSize(): void {
    const { templateSize } = this.#budget.limits;
    if (this.#size > templateSize) {
      throw beyond(`the patched template has more than ${templateSize} characters`);
    }
  }
}
