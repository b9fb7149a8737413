package fleet

import (
	"context"
	"time"
)

// SetVersion makes an audit one of another version of what messages hold.
func (f *Fleet) SetVersion(ctx context.Context, id string, version int) error {
	return f.edit(ctx, id, func(c *control) { c.Wire = version })
}

// Version is that of this program.
const Version = wireVersion

// SetWall has a Fleet read the wall clock from a function. It is called before anything else.
func (f *Fleet) SetWall(wall func() time.Time) { f.wall = wall }
