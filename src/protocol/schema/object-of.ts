import { checkJson } from "./check-json.ts";
import { keysAt, objectAt, type PlainObject } from "./containers.ts";
import type { Place } from "./place.ts";
import type { Hints } from "../unknown-name.ts";
import type { Reader } from "./reader.ts";

/** How one field of an object is read. */
export type Field<Value, Required extends boolean = boolean> = {
  readonly read: Reader<Value | undefined>;
  readonly required: Required;
};

/** A reader for each field of a shape: required where the shape requires it, and only there. */
export type FieldsOf<Shape> = {
  readonly [Key in keyof Shape]-?: undefined extends Shape[Key]
    ? Field<Exclude<Shape[Key], undefined>, false>
    : Field<Shape[Key], true>;
};

/** A field that must be there. */
export function required<Value>(read: Reader<Value>): Field<Value, true> {
  return { read, required: true };
}

/** A field that may be left out. Its reader may answer `undefined` to say the same. */
export function optional<Value>(read: Reader<Value | undefined>): Field<Value, false> {
  return { read, required: false };
}

/** An object of known fields. Others are checked like free data and dropped: they may be those of a later version. */
export function objectOf<Shape>(fields: FieldsOf<Shape>): Reader<Shape> {
  return fieldsReader(fields, checkUnknown);
}

/** An object of known fields and no others: what was sent under a wrong name must not be lost. */
export function closedObjectOf<Shape>(fields: FieldsOf<Shape>, hints?: Hints): Reader<Shape> {
  const names = Object.keys(fields);
  return fieldsReader(fields, (value, place, key) => {
    if (value !== undefined) place.unknown(key, names, hints);
  });
}

type UnknownField = (value: unknown, place: Place, key: string) => void;

function fieldsReader<Shape>(fields: FieldsOf<Shape>, unknown: UnknownField): Reader<Shape> {
  const known = Object.entries<Field<unknown>>(fields).map(([key, field]) => ({ key, ...field }));
  return (value, place) => {
    const object = objectAt(value, place);
    for (const key of keysAt(object, place, "wire")) {
      if (!Object.hasOwn(fields, key)) unknown(object[key], place, key);
    }
    const result: Record<string, unknown> = {};
    for (const field of known) {
      const read = readField(object, place, field);
      if (read !== undefined) result[field.key] = read;
    }
    return result as Shape;
  };
}

type NamedField = Field<unknown> & { readonly key: string };

function readField(object: PlainObject, place: Place, field: NamedField): unknown {
  const { key } = field;
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  if (value !== undefined) return field.read(value, place.field(key));
  return field.required ? place.field(key).refuse("present") : undefined;
}

function checkUnknown(value: unknown, place: Place): void {
  if (value === undefined) return;
  place.count();
  checkJson(value, place.inside(), "wire");
}
