package fleet

import "time"

// SetWall has a Fleet read the wall clock from a function. It is called before anything else.
func (f *Fleet) SetWall(wall func() time.Time) { f.wall = wall }
