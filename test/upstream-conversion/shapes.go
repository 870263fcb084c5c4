package main

import (
	"encoding/json"
	"os"
	"path"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// Name and type.
type field [2]string

// Fields of metadata are not converted, and these types have a JSON form of their own.
var scalars = map[string]string{
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":                     "time",
	"k8s.io/apimachinery/pkg/apis/meta/v1.Duration":                 "duration",
	"k8s.io/apimachinery/pkg/apis/meta/v1.ObjectMeta":               "metadata",
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString":               "intOrString",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON": "json",
}

type shapes map[string][]field

func printShapes(scheme *runtime.Scheme) error {
	found := shapes{}
	for kind := range converters {
		for known, objectType := range scheme.AllKnownTypes() {
			if known.Kind == kind && known.Version != runtime.APIVersionInternal {
				found.add(objectType)
			}
		}
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(found)
}

func (found shapes) add(structType reflect.Type) string {
	name := structType.PkgPath() + "." + structType.Name()
	if scalar, ok := scalars[name]; ok {
		return scalar
	}
	// The version and the name, for example v1beta2.MachineSpec.
	short := path.Base(structType.PkgPath()) + "." + structType.Name()
	if _, ok := found[short]; !ok {
		found[short] = []field{}
		found[short] = found.fields(structType)
	}
	return short
}

func (found shapes) fields(structType reflect.Type) []field {
	fields := []field{}
	for i := range structType.NumField() {
		each := structType.Field(i)
		name, options, _ := strings.Cut(each.Tag.Get("json"), ",")
		if each.Anonymous && name == "" {
			fields = append(fields, found.fields(each.Type)...)
			continue
		}
		if name == "-" {
			continue
		}
		fields = append(fields, field{name, omission(each.Type, options) + found.typeOf(each.Type)})
	}
	return fields
}

// "?" leaves out a field that is empty. No list or map has another option than that.
func omission(fieldType reflect.Type, options string) string {
	omitsEmpty, omitsZero := strings.Contains(options, "omitempty"), strings.Contains(options, "omitzero")
	switch fieldType.Kind() {
	case reflect.Struct:
		if omitsZero {
			return "?"
		}
		return ""
	case reflect.Slice, reflect.Map:
		if omitsEmpty {
			return "?"
		}
		if omitsZero {
			return "omitzero "
		}
		return ""
	default:
		if omitsEmpty || omitsZero {
			return "?"
		}
		return ""
	}
}

func (found shapes) typeOf(fieldType reflect.Type) string {
	switch fieldType.Kind() {
	case reflect.Pointer:
		return "*" + found.typeOf(fieldType.Elem())
	case reflect.Slice:
		if fieldType.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + found.typeOf(fieldType.Elem())
	case reflect.Map:
		return "<>" + found.typeOf(fieldType.Elem())
	case reflect.Struct:
		return found.add(fieldType)
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "int"
	default:
		return fieldType.Kind().String()
	}
}
