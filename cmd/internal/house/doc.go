// Package house holds no code: its tests keep the picture of the project true.
// They say which room may import which, where code may lie, that every exported
// name is explained and that no function grows too long.
//
//	               cmd
//	   ┌────────────┼────────────┐
//	probe fleet     │            │
//	crawler      report       storage
//	   │            │            │
//	discover        │            │
//	 fetch          │            │
//	   └────────────┼────────────┘
//	 audit     sitemap     robots
//	   └────────────┼────────────┘
//	             address
//
// Imports point down only. Nothing but a change of that picture should change
// these tests.
package house
