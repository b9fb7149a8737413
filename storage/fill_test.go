package storage

import (
	"reflect"
	"testing"
	"time"
)

// filled is the approximate time of all events in the values of fill.
var filled = time.Date(2026, 11, 21, 10, 15, 2, 0, time.UTC)

// fill sets every exported field of the struct that v points to, so that a field which a record
// lacks is noticed; it leaves out those tagged json:"-", which no record has. seed makes the values
// differ.
func fill(t testing.TB, v any, seed int) {
	t.Helper()
	fillValue(t, reflect.ValueOf(v).Elem(), &seed)
}

func fillValue(t testing.TB, v reflect.Value, seed *int) {
	t.Helper()
	*seed++
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(filled.Add(time.Duration(*seed) * time.Millisecond)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(string([]byte{'a' + byte(*seed%26), 0xff, 0, byte(*seed)}))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*seed))
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(*seed))
	case reflect.Float64:
		v.SetFloat(float64(*seed) + 0.1)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") == "-" {
				continue // it is not stored
			}
			fillValue(t, v.Field(i), seed)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillValue(t, v.Elem(), seed)
	case reflect.Array:
		for i := range v.Len() {
			fillValue(t, v.Index(i), seed)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fillValue(t, v.Index(0), seed)
		fillValue(t, v.Index(1), seed)
	case reflect.Map:
		k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fillValue(t, k, seed)
		fillValue(t, e, seed)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(k, e)
	default:
		t.Fatalf("a field has the kind %s, which no record can hold yet", v.Kind())
	}
}
